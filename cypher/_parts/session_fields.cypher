// The fields of a session. Times are text: the driver is slow to build its temporal values.
// variables: s
.uid, .scope_id, .key, .session_type, .status, .max_capacity, .task, .focus, .conversation_turn, .active_duration_minutes, .dominant_themes, .coherence,
.thematic_coherence, .entity_coherence, .temporal_coherence, .focus_strength, .items, .items_processed, focus_changes: coalesce(s.focus_changes, 0), .person_id, .device_id,
last_activity: toString(s.last_activity), ended_at: toString(s.ended_at), created_at: toString(s.created_at), updated_at: toString(s.updated_at), .by_uid,
.version
