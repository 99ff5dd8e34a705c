// Which of some ids belong to readable nodes; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $uids AS uid
MATCH (n:Memory|Goal|PendingAction|Question|Story {uid: uid})
WHERE n.scope_id IN $readable
  // part: own_action(n)
  // part: shared_record(n) if $grantees
RETURN collect(DISTINCT n.uid) AS items
