// Stores changed stories, each with its next version; one row with the number written.
// mode: write
// scope: caller
// params: rows, writable
// returns: one
CYPHER 25
UNWIND $rows AS row
MATCH (s:Story {uid: row.properties.uid})
WHERE s.scope_id IN $writable
SET s += row.properties
CREATE (v:Version)
SET v = row.version
CREATE (v)-[:OF]->(s)
RETURN count(s) AS written
