// Stores changed questions, each with its next version; one row with the number written.
// mode: write
// scope: caller
// params: rows, writable
// returns: one
CYPHER 25
OPTIONAL MATCH (slots:Embedding {name: 'memory'})
UNWIND $rows AS row
MATCH (q:Question {uid: row.properties.uid})
WHERE q.scope_id IN $writable
// part: other_text(q, row)
FOREACH (_ IN CASE WHEN q.content = row.properties.content THEN [] ELSE [1] END |
  REMOVE q.embedding_a, q.embedded_a, q.embedding_b, q.embedded_b
)
// end part
SET q += row.properties
// part: unembedded(q, slots)
REMOVE q:Unembedded
FOREACH (_ IN CASE
  WHEN q.searchable_in IS NULL OR CASE slots.serving WHEN 'b' THEN q.embedded_b ELSE q.embedded_a END IS NOT NULL THEN []
  ELSE [1]
END | SET q:Unembedded)
// end part
CREATE (v:Version)
SET v = row.version
CREATE (v)-[:OF]->(q)
RETURN count(q) AS written
