// Locks a batch of conversations that have gone on, and returns each with the summary of its older messages; one row.
// mode: write, returns: one, scope: system - the job serves every organisation
CYPHER 25
CALL () {
  MATCH (c:Conversation)
  USING INDEX SEEK c:Conversation(behind)
  WHERE c.behind >= $due
  RETURN c
  LIMIT $batch
}
WITH c
ORDER BY c.scope_id, c.key
// Sorted, as whoever adds messages locks them. Who forgets a message of one waits, and then finds the summary.
SET c.key = c.key
WITH c
RETURN collect(c {.org_id, .scope_id, .key, earlier: head(COLLECT {
  MATCH (c)<-[:SUMMARISES]-(s:Summary)
  RETURN s {messages: s.upto, since: s.seen_from, until: s.seen_until, .upto_uid, .speakers, .quotes}
})}) AS items
