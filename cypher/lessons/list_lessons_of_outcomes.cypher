// A page of the lessons that each of some outcomes taught or confirmed, in order of their ids; one row.
// mode: read
// scope: caller
// params: pages, limit, readable
// returns: one
CYPHER 25
UNWIND $pages AS page
CALL (page) {
  MATCH (o:Outcome {uid: page.uid})-[:TAUGHT|SUPPORTS]->(m:Lesson)
  WHERE o.scope_id IN $readable AND m.scope_id IN $readable AND (page.after IS NULL OR m.uid > page.after[0])
  WITH m
  ORDER BY m.uid
  LIMIT $limit
  RETURN collect(m {
    key: [m.uid],
    // part: lesson_fields(m)
    .uid, .scope_id, .kind, .content, .essential, .forbids, .requires_confirmation, .tags, .entities, .confidence, happened_at: toString(m.happened_at), .speaker,
    .conversation, .derived_from, .metadata, .client_key, .status, .superseded_by, created_at: toString(m.created_at),
    updated_at: toString(m.updated_at), .by_uid, .version, .live, .importance, .retention, retained_until: toString(m.retained_until)
    , .says, .source, .subject, .holds, .aspect, .lesson_key, .tools, .support, .contradiction, .conflicting, .retired_reason,
    retired_at: toString(m.retired_at),
    contradicts: [(m)-[against:CONTRADICTS]-(other:Lesson) WHERE against.until IS NULL AND other.scope_id = m.scope_id AND other.status <> 'forgotten' | other.uid]
    // end part
  }) AS found
}
WITH page, found WHERE size(found) > 0
RETURN collect({number: page.number, found: found}) AS items
