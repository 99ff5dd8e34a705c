// The fields of a goal. Times that are never null are text: the driver is slow to build its temporal values.
// variables: g
.uid, .scope_id, .agent_id, .org_id, .title, .description, .goal_type, .user_id, .origin, .priority, .priority_rank,
.horizon_value, .horizon_unit, .status, .progress, .metrics, .constraints, .milestones, .status_reason, .completed_at,
.archived_at, created_at: toString(g.created_at), updated_at: toString(g.updated_at), .by_uid, .version, .client_key,
violates: coalesce(g.violates, [])
