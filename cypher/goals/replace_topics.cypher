// Replaces the topics of the titles and types of goals; the topics of their evidence stay. One row with the number of goals.
// mode: write, returns: one, scope: caller
CYPHER 25
UNWIND $rows AS row
MATCH (g:Goal {uid: row.goal_id})
WHERE g.scope_id IN $writable
  // part: shared_for_writing(g) if $grantees
CALL (g, row) {
  MATCH (g)-[on:ON]->(t:Topic)
  WHERE on.own AND NOT t.key IN [kept IN row.topics | kept.key]
  SET on.own = false
  WITH on, t
  WHERE NOT on.evidence
  DELETE on
  // part: unused_topic(t)
}
CALL (g, row) {
  UNWIND row.topics AS topic
  // part: topic(t, topic)
  MERGE (g)-[on:ON]->(t)
    ON CREATE SET on.scope_id = g.scope_id, on.topic_uid = t.uid, on.from_uid = g.uid, on.evidence = false
  SET on.own = true
}
RETURN count(g) AS replaced
