// The goal with a client key in a space, or no row.
// mode: read
// scope: caller
// params: scope_id, client_key, writable
// returns: optional
CYPHER 25
MATCH (g:Goal {scope_id: $scope_id, client_key: $client_key})
USING INDEX SEEK g:Goal(scope_id, client_key)
WHERE g.scope_id IN $writable
RETURN g.uid AS uid
