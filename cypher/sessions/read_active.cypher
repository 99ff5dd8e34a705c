// A session of the caller, what it holds that the caller may still read and nobody redacted, and the number with what was redacted; no row if it is not the caller's.
// mode: read
// scope: caller
// params: session, scope_id, device_id, readable, now
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
RETURN s {
  // part: session_fields(s)
  .uid, .scope_id, .key, .session_type, .status, .max_capacity, .task, .focus, .conversation_turn, .active_duration_minutes, .dominant_themes, .coherence,
  .thematic_coherence, .entity_coherence, .temporal_coherence, .focus_strength, .items, .items_processed, focus_changes: coalesce(s.focus_changes, 0), .person_id, .device_id,
  last_activity: toString(s.last_activity), ended_at: toString(s.ended_at), created_at: toString(s.created_at), updated_at: toString(s.updated_at), .by_uid,
  .version
  // end part
} AS session, COLLECT {
  MATCH (s)-[h:HOLDS]->(m:Memory)
  WHERE h.until IS NULL AND m.live AND m.scope_id IN $readable AND m.expires_at > $now AND
    // part: is_shown(h)
    NOT coalesce(h.redacted, false)
    // end part
  RETURN h {
    // part: held_fields(h, m)
    .item_id, memory_uid: m.uid, content: m.content, .content_type, .entities, .themes, temporal_context: toString(h.temporal_context), source: h.item_source, .confidence,
    .salience, .relevance, .urgency, .recency, .attention, .contextual_importance, .task_relevance, .coherence_boost, .admission_score, .threshold, .reasons,
    admission_time: toString(h.since), last_access: toString(h.last_access), .access_count, .pinned, redacted: coalesce(h.redacted, false),
    is_fragment: m:Fragment
    // end part
  }
} AS held, COUNT {
  MATCH (s)-[h:HOLDS]->(m:Memory)
  WHERE h.until IS NULL AND m.live AND m.scope_id IN $readable AND m.expires_at > $now
} AS number
