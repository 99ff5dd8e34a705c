// The readable goals among some ids, one row.
// mode: read
// scope: caller
// params: uids, readable
// returns: one
CYPHER 25
UNWIND $uids AS uid
MATCH (g:Goal {uid: uid})
WHERE g.scope_id IN $readable
RETURN collect(g {
  .uid, .scope_id, .agent_id, .org_id, .title, .description, .goal_type, .priority, .priority_rank, .horizon_value,
  .horizon_unit, .status, .progress, .metrics, .constraints, .milestones, .created_at, .updated_at, .by_uid, .version
}) AS items
