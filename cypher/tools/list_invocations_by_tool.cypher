// A page of the readable invocations of a tool, newest first, as far as they are still kept; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $readable AS scope_id
CALL (scope_id) {
  MATCH (inv:ToolInvocation)
  USING INDEX SEEK inv:ToolInvocation(scope_id, tool, uid)
  WHERE inv.scope_id = scope_id AND inv.tool = $tool AND inv.uid < $before_uid AND inv.uid >= $oldest
    // part: invocation_filter(inv)
  RETURN inv
  // All properties, although some are constant here: only then does the planner use the order of the index.
  ORDER BY inv.scope_id DESC, inv.tool DESC, inv.uid DESC
  LIMIT $limit
}
WITH inv
ORDER BY inv.uid DESC
LIMIT $limit
RETURN collect(inv {
  // part: invocation_fields(inv)
}) AS items
