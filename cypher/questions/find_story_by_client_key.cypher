// The story with a client key in a space, or no row.
// mode: read
// scope: caller
// params: scope_id, client_key, writable
// returns: optional
CYPHER 25
MATCH (s:Story {scope_id: $scope_id, client_key: $client_key})
WHERE s.scope_id IN $writable
RETURN s.uid AS uid
