// What happened in a turn, in order, as far as the caller may read, one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $readable AS scope_id
MATCH (turn:Turn {scope_id: scope_id, key: $key})-[:LOGGED]->(entry:TraceEvent)
WHERE entry.scope_id IN $readable AND entry.uid > $after AND entry.uid >= $oldest AND ($kinds IS NULL OR entry.kind IN $kinds)
WITH turn, entry
ORDER BY entry.uid
LIMIT $limit
RETURN collect(entry {.uid, .created_at, turn_key: coalesce(turn.former_key, turn.key), .kind, .message, .ids, .details}) AS items
