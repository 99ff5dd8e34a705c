// Closes the silent ones of a batch of open turns from before a time, oldest first; one row with them, how many turns were looked at, and the last id.
// mode: write, returns: one, scope: system - one sweep serves every organisation
CYPHER 25
CALL () {
  MATCH (turn:Turn)
  USING INDEX SEEK turn:Turn(status, uid)
  WHERE turn.status = 'open' AND turn.uid > $after AND turn.uid < $before
  RETURN turn
  // All properties, although one is constant here: only then does the planner use the order of the index.
  ORDER BY turn.status, turn.uid
  LIMIT $batch
}
WITH collect(turn) AS found
CALL (found) {
  UNWIND found AS turn
  // This write locks the turn before the checks: it may have ended meanwhile, or may be ending now.
  SET turn.updated_at = turn.updated_at
  WITH turn
  WHERE turn.status = 'open' AND NOT EXISTS { (turn)-[:LOGGED]->(entry:TraceEvent) WHERE entry.uid >= $silent_since }
  SET turn.status = 'abandoned', turn.ended_at = $now, turn.updated_at = $now, turn.version = turn.version + 1
  RETURN collect(turn {.uid, .org_id, .scope_id, .version, key: turn.key}) AS items
}
RETURN items, size(found) AS looked, CASE WHEN size(found) > 0 THEN found[-1].uid END AS last_uid
