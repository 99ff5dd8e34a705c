// The number of readable invocations that match a filter, as far as they are still kept; one row.
// mode: read
// scope: caller
// params: readable, tool, status, turn_uid, goal_uid, since, until, oldest
// returns: one
CYPHER 25
UNWIND $readable AS scope_id
CALL (scope_id) {
  MATCH (inv:ToolInvocation)
  USING INDEX SEEK inv:ToolInvocation(scope_id, uid)
  WHERE inv.scope_id = scope_id AND inv.uid >= $oldest
    // part: invocation_filter(inv)
    AND ($tool IS NULL OR inv.tool = $tool) AND ($status IS NULL OR inv.status = $status) AND ($turn_uid IS NULL OR inv.turn_uid = $turn_uid)
    AND ($goal_uid IS NULL OR inv.goal_uid = $goal_uid) AND ($since IS NULL OR inv.created_at >= $since)
    AND ($until IS NULL OR inv.created_at < $until)
    // end part
  RETURN count(inv) AS number
}
RETURN sum(number) AS total
