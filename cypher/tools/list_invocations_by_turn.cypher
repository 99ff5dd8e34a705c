// A page of the readable invocations of a turn, newest first, as far as they are still kept; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
OPTIONAL MATCH (turn:Turn {uid: $turn_uid})-[:INVOKED]->(inv:ToolInvocation)
WHERE inv.scope_id IN $readable AND inv.uid < $before_uid AND inv.uid >= $oldest
  // part: invocation_filter(inv)
WITH inv
ORDER BY inv.uid DESC
LIMIT $limit
RETURN collect(inv {
  // part: invocation_fields(inv)
}) AS items
