// The parent and the predecessors of each of some goals; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $uids AS uid
MATCH (g:Goal {uid: uid})
WHERE g.scope_id IN $readable
  // part: shared(g) if $grantees
CALL (g) {
  MATCH (g)-[link:CHILD_OF|DERIVED_FROM]->(direct:Goal)
  WHERE link.until IS NULL AND (direct.scope_id IN $readable
    // part: shared(direct) if $grantees
  )
  WITH direct, link ORDER BY direct.uid
  RETURN collect({uid: direct.uid, type: type(link)}) AS direct
}
RETURN collect({uid: uid, direct: direct}) AS items
