// Stores new pending actions, each with its first version and, if it has one, its goal; one row with the number written.
// mode: write, returns: one, scope: caller
CYPHER 25
UNWIND $rows AS row
WITH row
WHERE row.properties.scope_id IN $writable
  // only if $grantees
  OR EXISTS {
    MATCH (g:Goal {uid: row.properties.goal_id})
    // part: shares(g)
      AND g.scope_id = row.properties.scope_id AND may.permission IN ['write', 'admin']
  }
  // end only
CREATE (a:PendingAction)
SET a = row.properties
CREATE (v:Version)
SET v = row.version
CREATE (v)-[:OF]->(a)
WITH a
CALL (a) {
  MATCH (person:Actor {uid: a.person_id})
  CREATE (a)-[:FOR]->(person)
}
CALL (a) {
  MATCH (g:Goal {uid: a.goal_id})
  CREATE (a)-[:ADVANCES]->(g)
  RETURN count(g) AS goals
}
// An action whose goal no longer exists is not counted; the service then rolls back the transaction.
RETURN sum(CASE WHEN a.goal_id IS NULL THEN 1 ELSE goals END) AS written
