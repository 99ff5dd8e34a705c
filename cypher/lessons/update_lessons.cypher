// Stores retired or restored lessons, each with its next version; one row with the number written.
// mode: write, returns: one, scope: caller
CYPHER 25
OPTIONAL MATCH (slots:Embedding {name: 'memory'})
UNWIND $rows AS row
MATCH (m:Lesson&Memory {uid: row.properties.uid})
WHERE m.scope_id IN $writable
// No search finds what has no `searchable_in`.
SET m += row.properties
// part: unembedded(m, slots)
CREATE (v:Version)
SET v = row.version
CREATE (v)-[:OF]->(m)
RETURN count(m) AS written
