// Locks a session until the commit; the names of what it holds, and what it is about as it was written last; no row if it does not exist.
// mode: write
// scope: system - the job serves every organisation
// params: uid, now
// returns: optional
CYPHER 25
MATCH (s:Session {uid: $uid})
SET s.locked_at = $now
RETURN s {
  // part: session_fields(s)
  .uid, .scope_id, .key, .session_type, .status, .max_capacity, .task, .focus, .conversation_turn, .active_duration_minutes, .dominant_themes, .coherence,
  .thematic_coherence, .entity_coherence, .temporal_coherence, .focus_strength, .items, .items_processed, focus_changes: coalesce(s.focus_changes, 0), .person_id, .device_id,
  last_activity: toString(s.last_activity), ended_at: toString(s.ended_at), created_at: toString(s.created_at), updated_at: toString(s.updated_at), .by_uid,
  .version
  // end part
} AS session, COLLECT {
  MATCH (s)-[h:HOLDS]->(m:Memory)
  WHERE h.until IS NULL AND m.live AND m.expires_at > $now AND
    // part: is_shown(h)
    NOT coalesce(h.redacted, false)
    // end part
  RETURN h {.entities, .themes, is_fragment: m:Fragment}
  ORDER BY h.since, m.uid
} AS held, COLLECT {
  MATCH (s)-[about:ON]->(:Topic)
  RETURN about {.name, .entity, .theme}
  ORDER BY about.name
} AS names, s.digest_encoder AS encoder, s.digest_until IS NOT NULL AS is_kept
