// Which of some ids belong to readable nodes; one row.
// mode: read
// scope: caller
// params: uids, readable, people, grantees
// returns: one
CYPHER 25
UNWIND $uids AS uid
MATCH (n:Memory|Goal|PendingAction|Question|Story {uid: uid})
WHERE n.scope_id IN $readable
  // part: own_action(n)
  OR n.person_id IN $people
  // end part
  // part: shared_record(n) if $grantees
  OR EXISTS {
    MATCH (n) ((s)-[:ANSWERS]->(q) WHERE s.scope_id = q.scope_id){0,1} (()-[by:ADVANCES|ABOUT WHERE by.until IS NULL]->()){0,1} (g:Goal)
      (()-[up:CHILD_OF WHERE up.until IS NULL]->()){0,20} (top:Goal)<-[may:MAY]-(actor:Actor)
    WHERE top.scope_id = g.scope_id AND may.until IS NULL AND actor.uid IN $grantees
      AND g.scope_id = n.scope_id
  }
  // end part
RETURN collect(DISTINCT n.uid) AS items
