// The readable pending actions of some goals, in order of creation, one row.
// mode: read
// scope: caller
// params: goal_ids, readable
// returns: one
CYPHER 25
UNWIND $goal_ids AS goal_id
MATCH (g:Goal {uid: goal_id})<-[:ADVANCES]-(a:PendingAction)
WHERE g.scope_id IN $readable AND a.scope_id IN $readable
WITH a ORDER BY a.uid
RETURN collect(a {
  .uid, .scope_id, .goal_id, .type, .title, .description, .owner, .priority, .priority_rank, .effort, .status, .due_at,
  .blocking, .requires_confirmation, .auto_complete, .density, .evidence_refs, .confirmed_by, .confirmed_at, .result,
  .completed_at, .archived_at, .client_key, .metadata, .created_from_turn_id, created_at: toString(a.created_at),
  updated_at: toString(a.updated_at), .by_uid, .version
}) AS items
