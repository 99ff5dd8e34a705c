// The readable goals among some ids, one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $uids AS uid
MATCH (g:Goal {uid: uid})
// A goal in another space is found if the goal, or one above it in its space, is shared with the caller; shares are read only for such goals.
WHERE g.scope_id IN $readable
  // part: shared(g) if $grantees
RETURN collect(g {
  // part: goal_fields(g)
}) AS items
