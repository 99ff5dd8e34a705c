// Locks the readable durable memories among some ids, in the order of the ids, and returns them; one row.
// mode: write, returns: one, scope: caller
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
}) AS items
