// A page of the readable open blocking actions of each of some goals, in order of creation; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $pages AS page
CALL (page) {
  MATCH (g:Goal {uid: page.uid})<-[:ADVANCES]-(a:PendingAction)
  // The actions of a shared goal are shared with the goal.
  WHERE (a.scope_id IN $readable OR a.scope_id = g.scope_id) AND a.open AND a.blocking AND (g.scope_id IN $readable
    // part: shared(g) if $grantees
  )
    AND (page.after IS NULL OR a.uid > page.after[0])
  WITH a
  ORDER BY a.uid
  LIMIT $limit
  RETURN collect({key: [a.uid], node: a {
    // part: action_fields(a)
  }}) AS found
}
WITH page, found WHERE size(found) > 0
RETURN collect({number: page.number, found: found}) AS items
