// The number of readable invocations that match a filter, as far as they are still kept; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $readable AS scope_id
CALL (scope_id) {
  MATCH (inv:ToolInvocation)
  USING INDEX SEEK inv:ToolInvocation(scope_id, uid)
  WHERE inv.scope_id = scope_id AND inv.uid >= $oldest
    // part: invocation_filter(inv)
  RETURN count(inv) AS number
}
RETURN sum(number) AS total
