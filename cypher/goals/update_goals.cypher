// Stores changed goals, each with its next version; one row with the number written.
// mode: write
// scope: caller
// params: rows, writable, grantees
// returns: one
CYPHER 25
UNWIND $rows AS row
MATCH (g:Goal {uid: row.properties.uid})
WHERE g.scope_id IN $writable
  // part: shared_for_writing(g) if $grantees
  OR EXISTS {
    MATCH (g)
      (()-[up:CHILD_OF WHERE up.until IS NULL]->()){0,20} (top:Goal)<-[may:MAY]-(actor:Actor)
    WHERE top.scope_id = g.scope_id AND may.until IS NULL AND actor.uid IN $grantees
      AND may.permission IN ['write', 'admin']
  }
  // end part
SET g += row.properties
CREATE (v:Version)
SET v = row.version
CREATE (v)-[:OF]->(g)
RETURN count(g) AS written
