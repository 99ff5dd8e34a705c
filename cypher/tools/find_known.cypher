// Which of some client keys the invocations of a space have, with their observations, and which of some goals are readable; one row.
// mode: read, returns: one, scope: caller
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
  RETURN collect(g.uid) AS goals
}
RETURN known, goals
