// Stores changed pending actions, each with its next version; one row with the number written.
// mode: write
// scope: caller
// params: rows, writable, people, grantees
// returns: one
CYPHER 25
UNWIND $rows AS row
MATCH (a:PendingAction {uid: row.properties.uid})
WHERE a.scope_id IN $writable
  // part: own_action(a)
  OR a.person_id IN $people
  // end part
  // part: shared_action_for_writing(a) if $grantees
  OR EXISTS {
    MATCH (a)-[:ADVANCES]->(g:Goal)
      (()-[up:CHILD_OF WHERE up.until IS NULL]->()){0,20} (top:Goal)<-[may:MAY]-(actor:Actor)
    WHERE top.scope_id = g.scope_id AND may.until IS NULL AND actor.uid IN $grantees
      AND g.scope_id = a.scope_id AND may.permission IN ['write', 'admin']
  }
  // end part
WITH row, a, a.person_id AS before, a.failed AS failed
SET a += row.properties
// What has failed once stays so, also when the next attempt goes well.
SET a.failed = a.failed OR failed
CREATE (v:Version)
SET v = row.version
CREATE (v)-[:OF]->(a)
WITH a, before
CALL (a, before) {
  WITH a, before
  WHERE coalesce(before, '') <> coalesce(a.person_id, '')
  OPTIONAL MATCH (a)-[was:FOR]->(:Actor)
  DELETE was
  WITH DISTINCT a
  MATCH (person:Actor {uid: a.person_id})
  CREATE (a)-[:FOR]->(person)
}
RETURN count(a) AS written
