// The checkpoints of a session of the caller, newest first; no row if the session is not the caller's.
// mode: read
// scope: caller
// params: session, scope_id, device_id, readable
// returns: optional
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
OPTIONAL MATCH (s)-[:SAVED]->(c:Checkpoint)
WITH s, c
ORDER BY c.uid DESC
RETURN s.uid AS session, collect(c {
  // part: checkpoint_fields(c)
  .uid, .key, .session_uid, .task, .focus, .item_ids, created_at: toString(c.created_at)
  // end part
}) AS items
