// A page of the goals that each of some goals comes from, as part or by derivation, nearest first; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $pages AS page
CALL (page) {
  // Each step stays among readable goals, so an unreadable goal ends its branch. There may be millions of
  // paths to one goal; in this form (and not as a quantified pattern) the planner visits each goal once.
  MATCH p = (of:Goal {uid: page.uid})-[:CHILD_OF|DERIVED_FROM*1..20]->(g:Goal)
  WHERE all(link IN relationships(p) WHERE link.until IS NULL) AND all(y IN nodes(p) WHERE y.scope_id IN $readable
    // part: shared(y) if $grantees
  )
  WITH page, g, min(length(p)) AS distance
  WHERE page.after IS NULL OR distance > page.after[0] OR distance = page.after[0] AND g.uid > page.after[1]
  WITH g, distance
  ORDER BY distance, g.uid
  LIMIT $limit
  RETURN collect({key: [distance, g.uid], node: g {
    // part: goal_fields(g)
  }}) AS found
}
WITH page, found WHERE size(found) > 0
RETURN collect({number: page.number, found: found}) AS items
