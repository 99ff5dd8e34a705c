// Stores changed questions, each with its next version; one row with the number written.
// mode: write, returns: one, scope: caller
CYPHER 25
OPTIONAL MATCH (slots:Embedding {name: 'memory'})
UNWIND $rows AS row
MATCH (q:Question {uid: row.properties.uid})
WHERE q.scope_id IN $writable
// part: other_text(q, row)
SET q += row.properties
// part: unembedded(q, slots)
CREATE (v:Version)
SET v = row.version
CREATE (v)-[:OF]->(q)
RETURN count(q) AS written
