// Locks the readable durable memories among some ids, in the order of the ids, and returns them; one row.
// mode: write
// scope: caller
// params: uids, readable, now
// returns: one
CYPHER 25
CALL () {
  // Whoever adds to a conversation or summarises it locks it before its messages.
  UNWIND $uids AS uid
  MATCH (m:Message&Memory {uid: uid})
  WHERE m.scope_id IN $readable
  MATCH (c:Conversation {scope_id: m.scope_id, key: m.conversation})
  WITH DISTINCT c
  ORDER BY c.scope_id, c.key
  SET c.key = c.key
}
UNWIND $uids AS uid
MATCH (m:Remembered&Memory {uid: uid})
WHERE m.scope_id IN $readable
SET m.locked_at = $now
WITH m
RETURN collect(m {
  // part: memory_fields(m)
  .uid, .scope_id, .kind, .content, .essential, .forbids, .requires_confirmation, .tags, .entities, .confidence, happened_at: toString(m.happened_at), .speaker,
  .conversation, .derived_from, .metadata, .client_key, .status, .superseded_by, created_at: toString(m.created_at),
  updated_at: toString(m.updated_at), .by_uid, .version, .live, .importance, .retention, retained_until: toString(m.retained_until)
  // end part
}) AS items
