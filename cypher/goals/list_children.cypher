// A page of the readable goals below each of some goals, most urgent first, newest first among equals; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $pages AS page
CALL (page) {
  MATCH (parent:Goal {uid: page.uid})<-[link:CHILD_OF]-(g:Goal)
  WHERE link.until IS NULL AND (parent.scope_id IN $readable
    // part: shared(parent) if $grantees
  ) AND (g.scope_id IN $readable
    // part: shared(g) if $grantees
  )
    AND (page.after IS NULL OR g.priority_rank < page.after[0] OR g.priority_rank = page.after[0] AND g.uid < page.after[1])
  WITH g
  ORDER BY g.priority_rank DESC, g.uid DESC
  LIMIT $limit
  RETURN collect({key: [g.priority_rank, g.uid], node: g {
    // part: goal_fields(g)
  }}) AS found
}
WITH page, found WHERE size(found) > 0
RETURN collect({number: page.number, found: found}) AS items
