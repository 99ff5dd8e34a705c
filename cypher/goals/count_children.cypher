// The number of readable goals below each of some goals; one row.
// mode: read
// scope: caller
// params: uids, readable, grantees
// returns: one
CYPHER 25
UNWIND $uids AS uid
MATCH (parent:Goal {uid: uid})<-[link:CHILD_OF]-(g:Goal)
WHERE link.until IS NULL AND (parent.scope_id IN $readable
  // part: shared(parent) if $grantees
  OR EXISTS {
    MATCH (parent)
      (()-[up:CHILD_OF WHERE up.until IS NULL]->()){0,20} (top:Goal)<-[may:MAY]-(actor:Actor)
    WHERE top.scope_id = parent.scope_id AND may.until IS NULL AND actor.uid IN $grantees
  }
  // end part
) AND (g.scope_id IN $readable
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
