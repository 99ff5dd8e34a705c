// A page of the tools of the readable spaces with their uses, by name; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $readable AS scope_id
CALL (scope_id) {
  MATCH (tool:Tool)
  USING INDEX SEEK tool:Tool(scope_id, key)
  WHERE tool.scope_id = scope_id AND tool.key >= $after_key AND (tool.key > $after_key OR tool.uid > $after_uid)
  RETURN tool
  ORDER BY tool.scope_id, tool.key
  LIMIT $limit
}
WITH tool
ORDER BY tool.key, tool.uid
LIMIT $limit
RETURN collect(tool {.uid, .scope_id, .key, .uses, .successes, last_used_at: toString(tool.last_used_at), created_at: toString(tool.created_at), .by_uid}) AS items
