// The question with a client key in a space, or no row.
// mode: read, returns: optional, scope: caller
CYPHER 25
MATCH (q:Question {scope_id: $scope_id, client_key: $client_key})
WHERE q.scope_id IN $writable
RETURN q.uid AS uid
