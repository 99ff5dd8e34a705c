// Which of some client keys the invocations of a space have, with their observations, and which of some goals are readable; one row.
// mode: read
// scope: caller
// params: scope_id, client_keys, goals, readable, writable, grantees
// returns: one
CYPHER 25
CALL () {
  UNWIND $client_keys AS key
  MATCH (inv:ToolInvocation {scope_id: $scope_id, client_key: key})
  WHERE inv.scope_id IN $writable
  RETURN collect(inv {
    .uid, .client_key, .client_hash,
    observations: COLLECT { MATCH (inv)-[:RESULTED_IN]->(o:Observation) WHERE o.scope_id IN $writable RETURN o.uid ORDER BY o.uid }
  }) AS known
}
CALL () {
  UNWIND $goals AS uid
  MATCH (g:Goal {uid: uid})
  WHERE g.scope_id IN $readable
    // part: shared(g) if $grantees
    OR EXISTS {
      MATCH (g)
        (()-[up:CHILD_OF WHERE up.until IS NULL]->()){0,20} (top:Goal)<-[may:MAY]-(actor:Actor)
      WHERE top.scope_id = g.scope_id AND may.until IS NULL AND actor.uid IN $grantees
    }
    // end part
  RETURN collect(g.uid) AS goals
}
RETURN known, goals
