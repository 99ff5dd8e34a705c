// The number of readable goals that each of some observations is evidence of; one row.
// mode: read
// scope: caller
// params: uids, readable, grantees
// returns: one
CYPHER 25
UNWIND $uids AS uid
MATCH (o:Observation&Memory {uid: uid})-[link:EVIDENCES]->(g:Goal)
WHERE o.scope_id IN $readable AND link.until IS NULL AND (g.scope_id IN $readable
  // part: shared(g) if $grantees
  OR EXISTS {
    MATCH (g)
      (()-[up:CHILD_OF WHERE up.until IS NULL]->()){0,20} (top:Goal)<-[may:MAY]-(actor:Actor)
    WHERE top.scope_id = g.scope_id AND may.until IS NULL AND actor.uid IN $grantees
  }
  // end part
)
WITH uid, count(g) AS number
RETURN collect({uid: uid, number: number}) AS items
