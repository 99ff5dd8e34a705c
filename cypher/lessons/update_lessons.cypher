// Stores retired or restored lessons, each with its next version; one row with the number written.
// mode: write
// scope: caller
// params: rows, writable
// returns: one
CYPHER 25
OPTIONAL MATCH (slots:Embedding {name: 'memory'})
UNWIND $rows AS row
MATCH (m:Lesson&Memory {uid: row.properties.uid})
WHERE m.scope_id IN $writable
// No search finds what has no `searchable_in`.
SET m += row.properties
// part: unembedded(m, slots)
REMOVE m:Unembedded
FOREACH (_ IN CASE
  WHEN m.searchable_in IS NULL OR CASE slots.serving WHEN 'b' THEN m.embedded_b ELSE m.embedded_a END IS NOT NULL THEN []
  ELSE [1]
END | SET m:Unembedded)
// end part
CREATE (v:Version)
SET v = row.version
CREATE (v)-[:OF]->(m)
RETURN count(m) AS written
