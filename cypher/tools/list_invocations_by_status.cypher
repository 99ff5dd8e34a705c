// A page of the readable invocations with a status, newest first, as far as they are still kept; one row.
// mode: read
// scope: caller
// params: readable, tool, status, turn_uid, goal_uid, since, until, oldest, before_uid, limit
// returns: one
CYPHER 25
UNWIND $readable AS scope_id
CALL (scope_id) {
  MATCH (inv:ToolInvocation)
  USING INDEX SEEK inv:ToolInvocation(scope_id, status, uid)
  WHERE inv.scope_id = scope_id AND inv.status = $status AND inv.uid < $before_uid AND inv.uid >= $oldest
    // part: invocation_filter(inv)
    AND ($tool IS NULL OR inv.tool = $tool) AND ($status IS NULL OR inv.status = $status) AND ($turn_uid IS NULL OR inv.turn_uid = $turn_uid)
    AND ($goal_uid IS NULL OR inv.goal_uid = $goal_uid) AND ($since IS NULL OR inv.created_at >= $since)
    AND ($until IS NULL OR inv.created_at < $until)
    // end part
  RETURN inv
  // All properties, although some are constant here: only then does the planner use the order of the index.
  ORDER BY inv.scope_id DESC, inv.status DESC, inv.uid DESC
  LIMIT $limit
}
WITH inv
ORDER BY inv.uid DESC
LIMIT $limit
RETURN collect(inv {
  // part: invocation_fields(inv)
  .uid, .scope_id, .turn_uid, .tool, .status, .error, .parameters, .execution_time_ms, .execution_time_reported, called_at: toString(inv.called_at),
  .goal_uid, .client_key, .result_preview, .result_bytes, .result_digest, created_at: toString(inv.created_at), .by_uid
  // end part
}) AS items
