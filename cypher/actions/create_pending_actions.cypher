// Stores new pending actions, each with its first version and, if it has one, its goal; one row with how many.
// mode: write
// scope: caller
// params: rows, writable
// returns: one
CYPHER 25
UNWIND $rows AS row
WITH row WHERE row.properties.scope_id IN $writable
CREATE (a:PendingAction)
SET a = row.properties
CREATE (v:Version)
SET v = row.version
CREATE (v)-[:OF]->(a)
WITH a
CALL (a) {
  MATCH (g:Goal {uid: a.goal_id})
  CREATE (a)-[:ADVANCES]->(g)
  RETURN count(g) AS goals
}
// An action whose goal is gone meanwhile does not count, and its caller then writes nothing.
RETURN sum(CASE WHEN a.goal_id IS NULL THEN 1 ELSE goals END) AS written
