// The number of stories that answer each of some questions; one row.
// mode: read
// scope: caller
// params: uids, statuses, readable, grantees
// returns: one
CYPHER 25
UNWIND $uids AS uid
MATCH (q:Question {uid: uid})<-[:ANSWERS]-(s:Story)
WHERE s.status IN $statuses AND (s.scope_id IN $readable OR s.scope_id = q.scope_id) AND (q.scope_id IN $readable
  // part: shared_question(q) if $grantees
  OR EXISTS {
    MATCH (q)-[about:ABOUT WHERE about.until IS NULL]->(g:Goal)
      (()-[up:CHILD_OF WHERE up.until IS NULL]->()){0,20} (top:Goal)<-[may:MAY]-(actor:Actor)
    WHERE top.scope_id = g.scope_id AND may.until IS NULL AND actor.uid IN $grantees
      AND g.scope_id = q.scope_id
  }
  // end part
)
WITH uid, count(s) AS number
RETURN collect({uid: uid, number: number}) AS items
