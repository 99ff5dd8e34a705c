// Shares the locks of the texts that checkpoints of a session of the caller refer to; one row with the number of spaces.
// mode: write
// scope: caller
// params: session, scope_id, device_id, readable
// returns: one
CYPHER 25
CALL () {
  // part: own_session(s)
  MATCH (s:Session)
  WHERE s.uid = $session
  RETURN s
  UNION
  MATCH (s:Session)
  WHERE s.scope_id = $scope_id AND s.key = $session
  RETURN s
  // end part
}
WITH s
WHERE
  // part: is_own(s)
  s.scope_id = $scope_id AND s.scope_id IN $readable AND coalesce(s.device_id, '') = $device_id
  // end part
MATCH (s)-[:SAVED]->(:Checkpoint)-[:KEEPS]->(m:Memory)
WHERE m.scope_id IN $readable
WITH DISTINCT m.scope_id AS scope_id
ORDER BY scope_id
// Who holds a memory waits for whoever forgets it, and the other way round: before the session is locked.
MERGE (lock:KeyLock {scope_id: scope_id, key: 'texts'})
RETURN count(lock) AS spaces
