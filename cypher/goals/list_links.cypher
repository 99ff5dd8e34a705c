// Parent, predecessors and everything each of some goals comes from, nearest first, one row.
// mode: read
// scope: caller
// params: uids, readable
// returns: one
CYPHER 25
UNWIND $uids AS uid
MATCH (g:Goal {uid: uid})
WHERE g.scope_id IN $readable
CALL (g) {
  MATCH (g)-[link:CHILD_OF|DERIVED_FROM]->(direct:Goal)
  WHERE link.until IS NULL AND direct.scope_id IN $readable
  WITH direct, link ORDER BY direct.uid
  RETURN collect({uid: direct.uid, type: type(link)}) AS direct
}
CALL (g) {
  // Each step stays inside the readable spaces, so a foreign goal ends its branch.
  MATCH p = (g) ((x:Goal)-[link:CHILD_OF|DERIVED_FROM]->(y:Goal) WHERE link.until IS NULL AND y.scope_id IN $readable){1,20} (a:Goal)
  WITH a, min(length(p)) AS distance
  ORDER BY distance, a.uid
  RETURN collect(a.uid) AS lineage
}
RETURN collect({uid: uid, direct: direct, lineage: lineage}) AS items
