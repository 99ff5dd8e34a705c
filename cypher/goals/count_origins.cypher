// The number of goals that each of some goals comes from, as part or by derivation; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $uids AS uid
CALL (uid) {
  // As in goals/list_origins: each step stays among readable goals, and each goal is visited once.
  MATCH p = (of:Goal {uid: uid})-[:CHILD_OF|DERIVED_FROM*1..20]->(g:Goal)
  WHERE all(link IN relationships(p) WHERE link.until IS NULL) AND all(y IN nodes(p) WHERE y.scope_id IN $readable
    // part: shared(y) if $grantees
  )
  WITH g, min(length(p)) AS distance
  RETURN count(g) AS number
}
RETURN collect({uid: uid, number: number}) AS items
