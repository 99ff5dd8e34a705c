// The number of readable entries in the trace of the turn with this client id; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $readable AS scope_id
MATCH (turn:Turn {scope_id: scope_id, key: $key})-[:LOGGED]->(entry:TraceEvent)
WHERE entry.scope_id IN $readable AND entry.uid >= $oldest AND ($kinds IS NULL OR entry.kind IN $kinds)
RETURN count(entry) AS total
