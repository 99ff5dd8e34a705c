// The question with a client key in a space, or no row.
// mode: read
// scope: caller
// params: scope_id, client_key, writable
// returns: optional
CYPHER 25
MATCH (q:Question {scope_id: $scope_id, client_key: $client_key})
WHERE q.scope_id IN $writable
RETURN q.uid AS uid
