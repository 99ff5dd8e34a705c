// The goal with a client key in a space, or no row.
// mode: read
// scope: caller
// params: scope_id, client_key, writable, grantees
// returns: optional
CYPHER 25
MATCH (g:Goal {scope_id: $scope_id, client_key: $client_key})
USING INDEX SEEK g:Goal(scope_id, client_key)
WHERE g.scope_id IN $writable
  // part: shared_for_writing(g) if $grantees
  OR EXISTS {
    MATCH (g)
      (()-[up:CHILD_OF WHERE up.until IS NULL]->()){0,20} (top:Goal)<-[may:MAY]-(actor:Actor)
    WHERE top.scope_id = g.scope_id AND may.until IS NULL AND actor.uid IN $grantees
      AND may.permission IN ['write', 'admin']
  }
  // end part
RETURN g.uid AS uid
