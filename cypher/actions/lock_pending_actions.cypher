// Returns the readable pending actions among some ids with what holds the writable ones back, and locks these until the commit; one row.
// mode: write
// scope: caller
// params: uids, readable, writable, people, grantees, now
// returns: one
CYPHER 25
// The store has sorted the ids: two changes of the same actions wait for each other instead of deadlocking.
UNWIND $uids AS uid
MATCH (a:PendingAction {uid: uid})
// The actions of a shared goal are shared with the goal.
WHERE a.scope_id IN $readable
  // part: own_action(a)
  OR a.person_id IN $people
  // end part
  // part: shared_action(a) if $grantees
  OR EXISTS {
    MATCH (a)-[:ADVANCES]->(g:Goal)
      (()-[up:CHILD_OF WHERE up.until IS NULL]->()){0,20} (top:Goal)<-[may:MAY]-(actor:Actor)
    WHERE top.scope_id = g.scope_id AND may.until IS NULL AND actor.uid IN $grantees
      AND g.scope_id = a.scope_id
  }
  // end part
WITH a, a.scope_id IN $writable
  // part: own_action(a)
  OR a.person_id IN $people
  // end part
  // part: shared_action_for_writing(a) if $grantees
  OR EXISTS {
    MATCH (a)-[:ADVANCES]->(g:Goal)
      (()-[up:CHILD_OF WHERE up.until IS NULL]->()){0,20} (top:Goal)<-[may:MAY]-(actor:Actor)
    WHERE top.scope_id = g.scope_id AND may.until IS NULL AND actor.uid IN $grantees
      AND g.scope_id = a.scope_id AND may.permission IN ['write', 'admin']
  }
  // end part
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
  .uid, .scope_id, .goal_id, .type, .title, .description, .owner, .person_id, .priority, .priority_rank, .effort, .status, .due_at,
  .blocking, .requires_confirmation, .auto_complete, .density, .evidence_refs, .confirmed_by, .confirmed_at, .result,
  .completed_at, .archived_at, .escalated_at, .event_at, .client_key, .metadata, .created_from_turn_id,
  created_at: toString(a.created_at), updated_at: toString(a.updated_at), .by_uid, .version
  // end part
}) AS items
