// The parent and the predecessors of each of some goals; one row.
// mode: read
// scope: caller
// params: uids, readable, grantees
// returns: one
CYPHER 25
UNWIND $uids AS uid
MATCH (g:Goal {uid: uid})
WHERE g.scope_id IN $readable
  // part: shared(g) if $grantees
  OR EXISTS {
    MATCH (g)
      (()-[up:CHILD_OF WHERE up.until IS NULL]->()){0,20} (top:Goal)<-[may:MAY]-(actor:Actor)
    WHERE top.scope_id = g.scope_id AND may.until IS NULL AND actor.uid IN $grantees
  }
  // end part
CALL (g) {
  MATCH (g)-[link:CHILD_OF|DERIVED_FROM]->(direct:Goal)
  WHERE link.until IS NULL AND (direct.scope_id IN $readable
    // part: shared(direct) if $grantees
    OR EXISTS {
      MATCH (direct)
        (()-[up:CHILD_OF WHERE up.until IS NULL]->()){0,20} (top:Goal)<-[may:MAY]-(actor:Actor)
      WHERE top.scope_id = direct.scope_id AND may.until IS NULL AND actor.uid IN $grantees
    }
    // end part
  )
  WITH direct, link ORDER BY direct.uid
  RETURN collect({uid: direct.uid, type: type(link)}) AS direct
}
RETURN collect({uid: uid, direct: direct}) AS items
