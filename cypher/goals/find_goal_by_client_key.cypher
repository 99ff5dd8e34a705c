// The goal with a client key in a space, or no row.
// mode: read, returns: optional, scope: caller
CYPHER 25
MATCH (g:Goal {scope_id: $scope_id, client_key: $client_key})
USING INDEX SEEK g:Goal(scope_id, client_key)
WHERE g.scope_id IN $writable
  // part: shared_for_writing(g) if $grantees
RETURN g.uid AS uid
