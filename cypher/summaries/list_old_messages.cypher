// The messages of each of some conversations after a message, without the newest ones, and how many come after them; one row.
// mode: read, returns: one, scope: system - the job serves every organisation
CYPHER 25
UNWIND range(0, size($conversations) - 1) AS number
WITH number, $conversations[number] AS row
CALL (row) {
  // The newest ones. A context shows them as they are.
  MATCH (m:Message)
  USING INDEX SEEK m:Message(scope_id, conversation, uid)
  WHERE m.scope_id = row.scope_id AND m.conversation = row.key AND m.uid > row.upto_uid AND m.live
  WITH m
  ORDER BY m.scope_id DESC, m.conversation DESC, m.uid DESC
  LIMIT $newest
  RETURN count(m) AS kept, min(m.uid) AS first_kept
}
CALL (row, first_kept) {
  MATCH (m:Message)
  USING INDEX SEEK m:Message(scope_id, conversation, uid)
  WHERE m.scope_id = row.scope_id AND m.conversation = row.key AND m.uid > row.upto_uid AND m.uid < first_kept AND m.live
  WITH m
  ORDER BY m.scope_id, m.conversation, m.uid
  // Twice as many as are taken, so that it is known whether many are left.
  LIMIT 2 * $most
  RETURN collect(m {.uid, .speaker, .happened_at, content: left(m.content, $characters)}) AS said
}
WITH number, said[..$most] AS taken, kept + size(said[$most..]) AS waiting
RETURN collect({number: number, said: taken, left: waiting}) AS items
