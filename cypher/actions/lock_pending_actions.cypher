// Returns the readable pending actions among some ids and locks the writable ones until the commit; one row.
// mode: write
// scope: caller
// params: uids, readable, writable, now
// returns: one
CYPHER 25
// Sorted by the caller: two changes of the same actions wait for each other instead of deadlocking.
UNWIND $uids AS uid
MATCH (a:PendingAction {uid: uid})
WHERE a.scope_id IN $readable
// Who may not write leaves no trace, not even when other entries of the call are written.
FOREACH (_ IN CASE WHEN a.scope_id IN $writable THEN [1] ELSE [] END | SET a.locked_at = $now)
WITH a
RETURN collect(a {
  .uid, .scope_id, .goal_id, .type, .title, .description, .owner, .priority, .priority_rank, .effort, .status, .due_at,
  .blocking, .requires_confirmation, .auto_complete, .density, .evidence_refs, .confirmed_by, .confirmed_at, .result,
  .completed_at, .archived_at, .escalated_at, .event_at, .client_key, .metadata, .created_from_turn_id,
  created_at: toString(a.created_at), updated_at: toString(a.updated_at), .by_uid, .version
}) AS items
