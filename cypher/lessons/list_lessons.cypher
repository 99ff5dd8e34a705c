// A page of lessons, newest first; one row.
// mode: read
// scope: caller
// params: readable, live, statuses, tags, tool, min_support, min_confidence, before, limit
// returns: one
CYPHER 25
UNWIND $readable AS scope_id
UNWIND $live AS live
CALL (scope_id, live) {
  MATCH (m:Remembered)
  USING INDEX SEEK m:Remembered(scope_id, kind, live, uid)
  WHERE m.scope_id = scope_id AND m.kind = 'lesson' AND m.live = live AND m.uid < $before
    // part: lesson_filter(m)
    AND m.status IN $statuses
    AND ($tool IS NULL OR $tool IN m.tools)
    AND ($min_support IS NULL OR m.support >= $min_support)
    AND ($min_confidence IS NULL OR m.confidence >= $min_confidence)
    AND all(tag IN $tags WHERE tag IN [each IN m.tags | toLower(normalize(each, NFKC))])
    // end part
  RETURN m
  // All properties, although most are constant here: only then does the planner use the order of the index.
  ORDER BY m.scope_id DESC, m.kind DESC, m.live DESC, m.uid DESC
  LIMIT $limit
}
WITH m
ORDER BY m.uid DESC
LIMIT $limit
RETURN collect(m {
  // part: lesson_fields(m)
  .uid, .scope_id, .kind, .content, .essential, .forbids, .requires_confirmation, .tags, .entities, .confidence, happened_at: toString(m.happened_at), .speaker,
  .conversation, .derived_from, .metadata, .client_key, .status, .superseded_by, created_at: toString(m.created_at),
  updated_at: toString(m.updated_at), .by_uid, .version, .live, .importance, .retention, retained_until: toString(m.retained_until)
  , .says, .source, .subject, .holds, .aspect, .lesson_key, .tools, .support, .contradiction, .conflicting, .retired_reason,
  retired_at: toString(m.retired_at),
  contradicts: [(m)-[against:CONTRADICTS]-(other:Lesson) WHERE against.until IS NULL AND other.scope_id = m.scope_id AND other.status <> 'forgotten' | other.uid]
  // end part
}) AS items
