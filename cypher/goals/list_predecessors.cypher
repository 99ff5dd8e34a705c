// A page of the readable goals that each of some goals was derived from, in order of their ids; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $pages AS page
CALL (page) {
  MATCH (derived:Goal {uid: page.uid})-[link:DERIVED_FROM]->(g:Goal)
  WHERE link.until IS NULL AND (derived.scope_id IN $readable
    // part: shared(derived) if $grantees
  ) AND (g.scope_id IN $readable
    // part: shared(g) if $grantees
  )
    AND (page.after IS NULL OR g.uid > page.after[0])
  WITH g
  ORDER BY g.uid
  LIMIT $limit
  RETURN collect({key: [g.uid], node: g {
    // part: goal_fields(g)
  }}) AS found
}
WITH page, found WHERE size(found) > 0
RETURN collect({number: page.number, found: found}) AS items
