// Stores changed questions, each with its next version; one row with the number written.
// mode: write
// scope: caller
// params: rows, writable
// returns: one
CYPHER 25
UNWIND $rows AS row
MATCH (q:Question {uid: row.properties.uid})
WHERE q.scope_id IN $writable
SET q += row.properties
CREATE (v:Version)
SET v = row.version
CREATE (v)-[:OF]->(q)
RETURN count(q) AS written
