// The readable goals that each observation is evidence of, oldest link first; one row.
// mode: read
// scope: caller
// params: uids, readable, grantees
// returns: one
CYPHER 25
UNWIND $uids AS uid
MATCH (o:Observation&Memory {uid: uid})-[evidence:EVIDENCES]->(g:Goal)
WHERE o.scope_id IN $readable AND evidence.until IS NULL AND (g.scope_id IN $readable
  // part: shared(g) if $grantees
  OR EXISTS {
    MATCH (g)
      (()-[up:CHILD_OF WHERE up.until IS NULL]->()){0,20} (top:Goal)<-[may:MAY]-(actor:Actor)
    WHERE top.scope_id = g.scope_id AND may.until IS NULL AND actor.uid IN $grantees
  }
  // end part
)
WITH uid, g ORDER BY evidence.since, g.uid
WITH uid, collect(g.uid) AS goals
RETURN collect({uid: uid, goals: goals}) AS items
