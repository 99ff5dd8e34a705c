// The number of readable goals that each of some goals was derived from; one row.
// mode: read
// scope: caller
// params: uids, readable, grantees
// returns: one
CYPHER 25
UNWIND $uids AS uid
MATCH (derived:Goal {uid: uid})-[link:DERIVED_FROM]->(g:Goal)
WHERE link.until IS NULL AND (derived.scope_id IN $readable
  // part: shared(derived) if $grantees
  OR EXISTS {
    MATCH (derived)
      (()-[up:CHILD_OF WHERE up.until IS NULL]->()){0,20} (top:Goal)<-[may:MAY]-(actor:Actor)
    WHERE top.scope_id = derived.scope_id AND may.until IS NULL AND actor.uid IN $grantees
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
