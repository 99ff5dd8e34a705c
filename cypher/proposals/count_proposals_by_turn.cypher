// Counts the proposals that come from a turn; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $readable AS scope_id
MATCH (turn:Turn {scope_id: scope_id, key: $turn_key})
USING INDEX SEEK turn:Turn(scope_id, key)
WITH collect(turn) AS turns
UNWIND turns AS turn
// The pattern leaves out the label, so that no plan starts at the proposals.
MATCH (turn)-[:PROPOSED]->(p)
WHERE p.scope_id IN $readable AND p.status IN $statuses AND ($type_id IS NULL OR p.type_id = $type_id)
RETURN count(DISTINCT p) AS total
