// Stores vectors of memories, goals, questions and stories whose texts are still those that were encoded, in the slots of the encoder; one row with their number.
// mode: write, returns: one, scope: system - the job serves every organisation
CYPHER 25
MATCH (slots:Embedding {name: 'memory'})
// `rows` is sorted by id, so that two processes wait for each other instead of deadlocking.
UNWIND $rows AS row
MATCH (m:Memory|Goal|Question|Story {uid: row.uid})
// This write locks the node before the check: its text may have been changed or forgotten meanwhile.
REMOVE m:Unembedded
WITH slots, m, row, row.content = m.content AND m.searchable_in IS NOT NULL AS same
CALL (slots, m, row, same) {
  WITH slots, m, row, same
  WHERE same
  SET m.embedding_a = CASE WHEN slots.a = $encoder THEN row.vector ELSE m.embedding_a END,
      m.embedded_a = CASE WHEN slots.a = $encoder THEN $encoder ELSE m.embedded_a END,
      m.embedding_b = CASE WHEN slots.b = $encoder THEN row.vector ELSE m.embedding_b END,
      m.embedded_b = CASE WHEN slots.b = $encoder THEN $encoder ELSE m.embedded_b END
}
// part: unembedded(m, slots)
RETURN count(CASE WHEN same THEN 1 END) AS written
