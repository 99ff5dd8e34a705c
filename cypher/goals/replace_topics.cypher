// Replaces the topics of a goal's title and type; the topics of its evidence stay. One row with the number of goals.
// mode: write
// scope: caller
// params: goal_id, topics, writable, grantees
// returns: one
CYPHER 25
MATCH (g:Goal {uid: $goal_id})
WHERE g.scope_id IN $writable
  // part: shared_for_writing(g) if $grantees
  OR EXISTS {
    MATCH (g)
      (()-[up:CHILD_OF WHERE up.until IS NULL]->()){0,20} (top:Goal)<-[may:MAY]-(actor:Actor)
    WHERE top.scope_id = g.scope_id AND may.until IS NULL AND actor.uid IN $grantees
      AND may.permission IN ['write', 'admin']
  }
  // end part
CALL (g) {
  MATCH (g)-[on:ON]->(t:Topic)
  WHERE on.own AND NOT t.key IN [topic IN $topics | topic.key]
  SET on.own = false
  WITH on, t
  WHERE NOT on.evidence
  DELETE on
  // part: unused_topic(t)
  WITH DISTINCT t
  WHERE NOT EXISTS { (t)<-[:ON]-() }
  DELETE t
  // end part
}
CALL (g) {
  UNWIND $topics AS row
  // part: topic(t, row)
  MERGE (t:Topic {scope_id: row.scope_id, key: row.key})
    ON CREATE SET t.uid = row.uid, t.org_id = row.org_id, t.name = row.name, t.created_at = row.created_at, t.by_uid = row.by_uid
  // end part
  MERGE (g)-[on:ON]->(t)
    ON CREATE SET on.scope_id = g.scope_id, on.topic_uid = t.uid, on.from_uid = g.uid, on.evidence = false
  SET on.own = true
}
RETURN count(g) AS replaced
