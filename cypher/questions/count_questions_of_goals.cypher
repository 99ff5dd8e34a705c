// The number of questions about each of some goals; one row.
// mode: read
// scope: caller
// params: uids, statuses, readable, grantees
// returns: one
CYPHER 25
UNWIND $uids AS uid
MATCH (g:Goal {uid: uid})<-[about:ABOUT]-(q:Question)
WHERE about.until IS NULL AND q.status IN $statuses AND (q.scope_id IN $readable OR q.scope_id = g.scope_id) AND (g.scope_id IN $readable
  // part: shared(g) if $grantees
  OR EXISTS {
    MATCH (g)
      (()-[up:CHILD_OF WHERE up.until IS NULL]->()){0,20} (top:Goal)<-[may:MAY]-(actor:Actor)
    WHERE top.scope_id = g.scope_id AND may.until IS NULL AND actor.uid IN $grantees
  }
  // end part
)
WITH uid, count(q) AS number
RETURN collect({uid: uid, number: number}) AS items
