// The story with a client key in a space, or no row.
// mode: read, returns: optional, scope: caller
CYPHER 25
MATCH (s:Story {scope_id: $scope_id, client_key: $client_key})
WHERE s.scope_id IN $writable
RETURN s.uid AS uid
