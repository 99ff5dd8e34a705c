// A page of goals by status, most urgent first and newest first among equals, one row.
// mode: read
// scope: caller
// params: readable, statuses, before_rank, before_uid, limit, goal_type
// returns: one
CYPHER 25
UNWIND $readable AS scope_id
UNWIND $statuses AS status
CALL (scope_id, status) {
  MATCH (g:Goal)
  WHERE g.scope_id = scope_id AND g.status = status AND g.priority_rank <= $before_rank
    AND (g.priority_rank < $before_rank OR g.uid < $before_uid)
    AND ($goal_type IS NULL OR g.goal_type = $goal_type)
  RETURN g
  ORDER BY g.priority_rank DESC, g.uid DESC
  LIMIT $limit
}
WITH g
ORDER BY g.priority_rank DESC, g.uid DESC
LIMIT $limit
RETURN collect(g {
  .uid, .scope_id, .agent_id, .org_id, .title, .description, .goal_type, .priority, .priority_rank, .horizon_value,
  .horizon_unit, .status, .progress, .metrics, .constraints, .milestones, .created_at, .updated_at, .by_uid, .version
}) AS items
