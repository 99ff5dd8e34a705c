// Holds the room of a space until the commit; says how many episodes take room, and returns, locked, those that may leave if the new ones do not fit; one row.
// mode: write, returns: one, scope: caller
CYPHER 25
CALL () {
  // Locked by its constraint until the commit, also when its node is deleted again: two commits do not take the same room.
  UNWIND CASE WHEN $scope_id IN $writable THEN ['episodes'] ELSE [] END AS key
  MERGE (held:KeyLock {scope_id: $scope_id, key: key})
  DELETE held
  RETURN count(*) AS held
}
CALL (held) {
  WITH held WHERE held > 0
  MATCH (m:Remembered)
  USING INDEX SEEK m:Remembered(scope_id, kind, live, importance, uid)
  WHERE m.scope_id = $scope_id AND m.kind = $kind AND m.live = true AND m.importance >= 0 AND m.uid IS NOT NULL
    AND m.retained_until > $now AND m.retention <> $spared
  WITH m
  // The least important first, and of equal ones the oldest: the order of the index.
  ORDER BY m.scope_id, m.kind, m.live, m.importance, m.uid
  RETURN collect(m) AS stored
}
WITH stored, size(stored) + $new - $most AS over
// What is still needed stays: what another memory rests on, and what a running session holds.
WITH stored, CASE WHEN over > 0 THEN [
  m IN stored WHERE NOT EXISTS { (m)<-[:RESTS_ON]-(other:Remembered WHERE other.live) }
    AND NOT EXISTS { (m)<-[:HOLDS]-(s:Session WHERE s.ended_at IS NULL) }
][..over] ELSE [] END AS least
CALL (least) {
  UNWIND least AS m
  WITH m ORDER BY m.uid
  // This write locks the memory before the check: it may have been forgotten meanwhile.
  SET m.locked_at = $now
  WITH m WHERE m.live
  WITH m ORDER BY m.importance, m.uid
  RETURN collect(m {
    // part: memory_fields(m)
  }) AS items
}
RETURN size(stored) AS total, items
