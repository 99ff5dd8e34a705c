// Parent, predecessors and all ancestors of each of some goals, nearest first; one row.
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
CALL (g) {
  // Each step stays among readable goals, so an unreadable goal ends its branch. There may be millions of
  // paths to one goal; in this form (and not as a quantified pattern) the planner visits each goal once.
  MATCH p = (g)-[:CHILD_OF|DERIVED_FROM*1..20]->(a:Goal)
  WHERE all(link IN relationships(p) WHERE link.until IS NULL) AND all(y IN nodes(p) WHERE y.scope_id IN $readable
    // part: shared(y) if $grantees
    OR EXISTS {
      MATCH (y)
        (()-[up:CHILD_OF WHERE up.until IS NULL]->()){0,20} (top:Goal)<-[may:MAY]-(actor:Actor)
      WHERE top.scope_id = y.scope_id AND may.until IS NULL AND actor.uid IN $grantees
    }
    // end part
  )
  WITH a, min(length(p)) AS distance
  ORDER BY distance, a.uid
  RETURN collect(a.uid) AS lineage
}
RETURN collect({uid: uid, direct: direct, lineage: lineage}) AS items
