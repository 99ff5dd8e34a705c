// Returns the readable pending actions among some ids with what holds the writable ones back, and locks these until the commit; one row.
// mode: write, returns: one, scope: caller
CYPHER 25
// The store has sorted the ids: two changes of the same actions wait for each other instead of deadlocking.
UNWIND $uids AS uid
MATCH (a:PendingAction {uid: uid})
// The actions of a shared goal are shared with the goal.
WHERE a.scope_id IN $readable
  // part: own_action(a)
  // part: shared_action(a) if $grantees
WITH a, a.scope_id IN $writable
  // part: own_action(a)
  // part: shared_action_for_writing(a) if $grantees
  AS writable
// An action that the caller may not write is not touched, even if other actions of the call are.
FOREACH (_ IN CASE WHEN writable THEN [1] ELSE [] END | SET a.locked_at = $now)
WITH a, writable
// What holds an action back is its goal and the open blocking actions of the goal, which are in the space of the action.
CALL (a, writable) {
  WITH * WHERE writable
  MATCH (a)-[:ADVANCES]->(g:Goal)
  RETURN collect({uid: a.uid, goal_status: g.status, violates: size(coalesce(g.violates, [])) > 0, blockers: COLLECT {
    MATCH (g)<-[:ADVANCES]-(b:PendingAction)
    WHERE b.open AND b.blocking AND b.scope_id = a.scope_id
    RETURN b {.uid, for_person: b.owner = 'user' OR b.requires_confirmation AND b.confirmed_at IS NULL}
    ORDER BY b.uid
  }}) AS goals
}
RETURN collect(CASE WHEN writable THEN a.uid END) AS writable, reduce(all = [], goals IN collect(goals) | all + goals) AS holds, collect(a {
  // part: action_fields(a)
}) AS items
