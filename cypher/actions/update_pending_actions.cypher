// Stores changed pending actions, each with its next version; one row with the number written.
// mode: write, returns: one, scope: caller
CYPHER 25
UNWIND $rows AS row
MATCH (a:PendingAction {uid: row.properties.uid})
WHERE a.scope_id IN $writable
  // part: own_action(a)
  // part: shared_action_for_writing(a) if $grantees
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
