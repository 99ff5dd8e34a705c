// The caller's sessions that some turns are in; one row.
// mode: read
// scope: caller
// params: uids, readable, scope_id, device_id
// returns: one
CYPHER 25
UNWIND $uids AS uid
MATCH (turn:Turn {uid: uid})-[:IN_SESSION]->(s:Session)
WHERE turn.scope_id IN $readable AND
  // part: is_own(s)
  s.scope_id = $scope_id AND s.scope_id IN $readable AND coalesce(s.device_id, '') = $device_id
  // end part
RETURN collect({of: uid, session: s {
  // part: session_fields(s)
  .uid, .scope_id, .key, .session_type, .status, .max_capacity, .task, .focus, .conversation_turn, .active_duration_minutes, .dominant_themes, .coherence,
  .thematic_coherence, .entity_coherence, .temporal_coherence, .focus_strength, .items, .items_processed, focus_changes: coalesce(s.focus_changes, 0), .person_id, .device_id,
  last_activity: toString(s.last_activity), ended_at: toString(s.ended_at), created_at: toString(s.created_at), updated_at: toString(s.updated_at), .by_uid,
  .version
  // end part
}}) AS items
