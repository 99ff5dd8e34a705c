// Replaces the topics of the titles and types of goals; the topics of their evidence stay. One row with the number of goals.
// mode: write
// scope: caller
// params: rows, writable, grantees
// returns: one
CYPHER 25
UNWIND $rows AS row
MATCH (g:Goal {uid: row.goal_id})
WHERE g.scope_id IN $writable
  // part: shared_for_writing(g) if $grantees
  OR EXISTS {
    MATCH (g)
      (()-[up:CHILD_OF WHERE up.until IS NULL]->()){0,20} (top:Goal)<-[may:MAY]-(actor:Actor)
    WHERE top.scope_id = g.scope_id AND may.until IS NULL AND actor.uid IN $grantees
      AND may.permission IN ['write', 'admin']
  }
  // end part
CALL (g, row) {
  MATCH (g)-[on:ON]->(t:Topic)
  WHERE on.own AND NOT t.key IN [kept IN row.topics | kept.key]
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
CALL (g, row) {
  UNWIND row.topics AS topic
  // part: topic(t, topic)
  MERGE (t:Topic {scope_id: topic.scope_id, key: topic.key})
    ON CREATE SET t.uid = topic.uid, t.org_id = topic.org_id, t.name = topic.name, t.created_at = topic.created_at, t.by_uid = topic.by_uid
  // end part
  MERGE (g)-[on:ON]->(t)
    ON CREATE SET on.scope_id = g.scope_id, on.topic_uid = t.uid, on.from_uid = g.uid, on.evidence = false
  SET on.own = true
}
RETURN count(g) AS replaced
