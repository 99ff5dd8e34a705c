// A page of the caller's sessions, newest first; one row.
// mode: read
// scope: caller
// params: readable, scope_id, device_id, statuses, key, entity, before, limit
// returns: one
CYPHER 25
UNWIND $statuses AS status
CALL (status) {
  MATCH (s:Session)
  USING INDEX SEEK s:Session(scope_id, status, uid)
  WHERE
    // part: is_own(s)
    s.scope_id = $scope_id AND s.scope_id IN $readable AND coalesce(s.device_id, '') = $device_id
    // end part
    AND s.status = status AND s.uid < $before
    AND ($key IS NULL OR s.key = $key)
    AND ($entity IS NULL OR EXISTS { (s)-[about:ON]->(:Topic {key: $entity}) WHERE about.entity })
  RETURN s
  ORDER BY s.scope_id DESC, s.status DESC, s.uid DESC
  LIMIT $limit
}
WITH s
ORDER BY s.uid DESC
LIMIT $limit
RETURN collect(s {
  // part: session_fields(s)
  .uid, .scope_id, .key, .session_type, .status, .max_capacity, .task, .focus, .conversation_turn, .active_duration_minutes, .dominant_themes, .coherence,
  .thematic_coherence, .entity_coherence, .temporal_coherence, .focus_strength, .items, .items_processed, focus_changes: coalesce(s.focus_changes, 0), .person_id, .device_id,
  last_activity: toString(s.last_activity), ended_at: toString(s.ended_at), created_at: toString(s.created_at), updated_at: toString(s.updated_at), .by_uid,
  .version
  // end part
}) AS items
