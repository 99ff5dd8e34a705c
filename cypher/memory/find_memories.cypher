// The readable durable memories among some ids; one row.
// mode: read
// scope: caller
// params: uids, readable, now
// returns: one
CYPHER 25
UNWIND $uids AS uid
MATCH (m:Remembered&Memory {uid: uid})
WHERE m.scope_id IN $readable AND NOT coalesce(m.retained_until <= $now, false)
RETURN collect(m {
  // part: memory_fields(m)
  .uid, .scope_id, .kind, .content, .essential, .forbids, .requires_confirmation, .tags, .entities, .confidence, happened_at: toString(m.happened_at), .speaker,
  .conversation, .derived_from, .metadata, .client_key, .status, .superseded_by, created_at: toString(m.created_at),
  updated_at: toString(m.updated_at), .by_uid, .version, .live, .importance, .retention, retained_until: toString(m.retained_until)
  // end part
}) AS items
