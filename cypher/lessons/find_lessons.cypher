// The readable lessons among some ids; one row.
// mode: read
// scope: caller
// params: uids, readable
// returns: one
CYPHER 25
UNWIND $uids AS uid
MATCH (m:Lesson&Memory {uid: uid})
WHERE m.scope_id IN $readable
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
