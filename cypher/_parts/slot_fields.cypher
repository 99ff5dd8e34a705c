// The fields of an item that a session holds. Times are text: the driver is slow to build its temporal values.
// variables: h, m
.item_id, memory_uid: m.uid, content: m.content, .content_type, .entities, .themes, temporal_context: toString(h.temporal_context), source: h.item_source, .confidence,
.salience, .relevance, .urgency, .recency, .attention, .contextual_importance, .task_relevance, .coherence_boost, .admission_score, .threshold, .reasons,
admission_time: toString(h.since), last_access: toString(h.last_access), .access_count, .pinned, redacted: coalesce(h.redacted, false),
is_fragment: m:Fragment
