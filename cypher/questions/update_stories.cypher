// Stores changed stories, each with its next version; one row with the number written.
// mode: write, returns: one, scope: caller
CYPHER 25
OPTIONAL MATCH (slots:Embedding {name: 'memory'})
UNWIND $rows AS row
MATCH (s:Story {uid: row.properties.uid})
WHERE s.scope_id IN $writable
// part: other_text(s, row)
SET s += row.properties
// part: unembedded(s, slots)
CREATE (v:Version)
SET v = row.version
CREATE (v)-[:OF]->(s)
RETURN count(s) AS written
