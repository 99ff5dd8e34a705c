// Adds to the uses of tools in a space; one row with the number of tools.
// mode: write, returns: one, scope: caller
CYPHER 25
// `rows` is sorted, so that concurrent transactions lock the same tools in the same order.
UNWIND $rows AS row
WITH row WHERE row.scope_id IN $writable
MERGE (tool:Tool {scope_id: row.scope_id, key: row.key})
  ON CREATE SET tool.uid = row.uid, tool.org_id = row.org_id, tool.name = row.name, tool.created_at = row.now, tool.by_uid = row.by_uid,
                tool.uses = 0, tool.successes = 0
SET tool.uses = tool.uses + row.uses, tool.successes = tool.successes + row.successes, tool.last_used_at = row.now
RETURN count(tool) AS counted
