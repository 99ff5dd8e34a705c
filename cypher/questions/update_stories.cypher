// Stores changed stories, each with its next version; one row with the number written.
// mode: write
// scope: caller
// params: rows, writable
// returns: one
CYPHER 25
OPTIONAL MATCH (slots:Embedding {name: 'memory'})
UNWIND $rows AS row
MATCH (s:Story {uid: row.properties.uid})
WHERE s.scope_id IN $writable
// part: other_text(s, row)
FOREACH (_ IN CASE WHEN s.content = row.properties.content THEN [] ELSE [1] END |
  REMOVE s.embedding_a, s.embedded_a, s.embedding_b, s.embedded_b
)
// end part
SET s += row.properties
// part: unembedded(s, slots)
REMOVE s:Unembedded
FOREACH (_ IN CASE
  WHEN s.searchable_in IS NULL OR CASE slots.serving WHEN 'b' THEN s.embedded_b ELSE s.embedded_a END IS NOT NULL THEN []
  ELSE [1]
END | SET s:Unembedded)
// end part
CREATE (v:Version)
SET v = row.version
CREATE (v)-[:OF]->(s)
RETURN count(s) AS written
