// The fields of a pending action. Times that are never null are text: the driver is slow to build its temporal values.
// variables: a
.uid, .scope_id, .goal_id, .type, .title, .description, .owner, .person_id, .priority, .priority_rank, .effort, .status, .due_at,
.blocking, .requires_confirmation, .auto_complete, .density, .evidence_refs, .confirmed_by, .confirmed_at, .result,
.completed_at, .archived_at, .escalated_at, .event_at, .client_key, .metadata, .created_from_turn_id,
created_at: toString(a.created_at), updated_at: toString(a.updated_at), .by_uid, .version,
confirmation_requested: coalesce(a.confirmation_requested, false)
