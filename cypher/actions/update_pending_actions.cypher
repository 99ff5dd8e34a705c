// Changes pending actions, each with its next version; one row with how many.
// mode: write
// scope: caller
// params: rows, writable
// returns: one
CYPHER 25
UNWIND $rows AS row
MATCH (a:PendingAction {uid: row.properties.uid})
WHERE a.scope_id IN $writable
SET a += row.properties
CREATE (v:Version)
SET v = row.version
CREATE (v)-[:OF]->(a)
RETURN count(a) AS written
