// Gives long memories that have none their passages; one row with the number of memories.
// mode: write
// scope: system - the migration serves every organisation
// params: rows, encoder, now
// returns: one
CYPHER 25
OPTIONAL MATCH (slots:Embedding {name: 'memory'})
UNWIND $rows AS row
MATCH (m:Remembered&Memory {uid: row.uid})
// This write locks the memory before the check: it may have been forgotten meanwhile.
SET m.locked_at = $now
WITH m, row, slots
WHERE m.searchable_in IS NOT NULL AND NOT EXISTS { (m)<-[:PART_OF]-() }
// part: passages(m, row, slots)
CALL (m, row, slots) {
  UNWIND row.passages AS passage
  CREATE (p:Memory:Passage)
  SET p = passage.properties
  SET p.embedding_a = CASE WHEN slots.a = $encoder THEN passage.vector END,
      p.embedded_a = CASE WHEN slots.a = $encoder AND passage.vector IS NOT NULL THEN $encoder END,
      p.embedding_b = CASE WHEN slots.b = $encoder THEN passage.vector END,
      p.embedded_b = CASE WHEN slots.b = $encoder AND passage.vector IS NOT NULL THEN $encoder END
  REMOVE p:Unembedded
  FOREACH (_ IN CASE
    WHEN p.searchable_in IS NULL OR CASE slots.serving WHEN 'b' THEN p.embedded_b ELSE p.embedded_a END IS NOT NULL THEN []
    ELSE [1]
  END | SET p:Unembedded)
  CREATE (p)-[:PART_OF]->(m)
}
// end part
RETURN count(m) AS divided
