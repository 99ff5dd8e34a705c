// Shares the locks of the texts that checkpoints of a session of the caller refer to; one row with the number of spaces.
// mode: write, returns: one, scope: caller
CYPHER 25
CALL () {
  // part: own_session(s)
}
WITH s
WHERE
  // part: is_own(s)
MATCH (s)-[:SAVED]->(:Checkpoint)-[:KEEPS]->(m:Memory)
WHERE m.scope_id IN $readable
WITH DISTINCT m.scope_id AS scope_id
ORDER BY scope_id
// Who holds a memory waits for whoever forgets it, and the other way round: before the session is locked.
MERGE (lock:KeyLock {scope_id: scope_id, key: 'texts'})
RETURN count(lock) AS spaces
