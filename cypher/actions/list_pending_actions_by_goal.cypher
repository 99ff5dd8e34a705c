// The readable pending actions of some goals, in order of creation, one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $goal_ids AS goal_id
MATCH (g:Goal {uid: goal_id})<-[:ADVANCES]-(a:PendingAction)
// The actions of a shared goal are shared with the goal.
WHERE (a.scope_id IN $readable OR a.scope_id = g.scope_id) AND (g.scope_id IN $readable
  // part: shared(g) if $grantees
)
WITH a ORDER BY a.uid
RETURN collect(a {
  // part: action_fields(a)
}) AS items
