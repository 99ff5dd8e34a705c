// The readable pending actions among some ids, one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $uids AS uid
MATCH (a:PendingAction {uid: uid})
// The actions of a shared goal are shared with the goal.
WHERE a.scope_id IN $readable
  // part: own_action(a)
  // part: shared_action(a) if $grantees
RETURN collect(a {
  // part: action_fields(a)
}) AS items
