// Stores new pending actions of a goal, each with its first version; one row with how many.
// mode: write
// scope: caller
// params: rows, writable
// returns: one
CYPHER 25
UNWIND $rows AS row
WITH row WHERE row.properties.scope_id IN $writable
MATCH (g:Goal {uid: row.properties.goal_id})
CREATE (a:PendingAction)
SET a = row.properties
CREATE (a)-[:ADVANCES]->(g)
CREATE (v:Version)
SET v = row.version
CREATE (v)-[:OF]->(a)
RETURN count(a) AS written
