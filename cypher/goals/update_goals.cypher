// Changes goals, each with its next version; one row with how many.
// mode: write
// scope: caller
// params: rows, writable
// returns: one
CYPHER 25
UNWIND $rows AS row
MATCH (g:Goal {uid: row.properties.uid})
WHERE g.scope_id IN $writable
SET g += row.properties
CREATE (v:Version)
SET v = row.version
CREATE (v)-[:OF]->(g)
RETURN count(g) AS written
