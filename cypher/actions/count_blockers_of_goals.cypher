// The number of readable open blocking actions of each of some goals; one row.
// mode: read
// scope: caller
// params: uids, readable, grantees
// returns: one
CYPHER 25
UNWIND $uids AS uid
MATCH (g:Goal {uid: uid})<-[:ADVANCES]-(a:PendingAction)
WHERE (a.scope_id IN $readable OR a.scope_id = g.scope_id) AND a.open AND a.blocking AND (g.scope_id IN $readable
  // part: shared(g) if $grantees
  OR EXISTS {
    MATCH (g)
      (()-[up:CHILD_OF WHERE up.until IS NULL]->()){0,20} (top:Goal)<-[may:MAY]-(actor:Actor)
    WHERE top.scope_id = g.scope_id AND may.until IS NULL AND actor.uid IN $grantees
  }
  // end part
)
WITH uid, count(a) AS number
RETURN collect({uid: uid, number: number}) AS items
