// Writes what a locked session is about: its links to topics and goals, and the mean vector of what it holds, else the one of its task; one row with the number of sessions written.
// mode: write, returns: one, scope: caller
CYPHER 25
OPTIONAL MATCH (slots:Embedding {name: 'memory'})
MATCH (s:Session {uid: $uid})
WHERE s.scope_id IN $writable
WITH s, CASE
  // part: slot(slots)
END AS slot
WITH s, COLLECT {
  MATCH (s)-[h:HOLDS]->(m:Memory)
  WHERE h.until IS NULL AND m.live AND m.expires_at > $now AND
    // part: is_shown(h)
  WITH
    // part: vector(m, slot)
  AS vector
  WHERE vector IS NOT NULL
  RETURN vector
} AS held
// Before it holds anything it is about its task.
WITH s, CASE WHEN $is_empty AND s.task_encoder = $encoder THEN [s.task_embedding] ELSE held END AS vectors
SET s.digest = CASE WHEN size(vectors) > 0 THEN
      [place IN range(0, size(vectors[0]) - 1) | reduce(total = 0.0, vector IN vectors | total + vector[place]) / size(vectors)]
    END,
    s.digest_encoder = CASE WHEN size(vectors) > 0 THEN $encoder END,
    s.digest_until = $until
WITH s
CALL (s) {
  MATCH (s)-[old:ON]->(t:Topic)
  WHERE NOT t.key IN $keys
  WITH old, t
  // Sorted, as whoever links to topics locks them.
  ORDER BY t.scope_id, t.key
  DELETE old
  // part: unused_topic(t)
}
CALL (s) {
  UNWIND $topics AS row
  // part: topic(t, row)
  MERGE (s)-[about:ON]->(t)
  SET about = {
    scope_id: row.scope_id, topic_uid: t.uid, from_uid: s.uid, name: row.spelled, entity: row.entity, theme: row.theme, durable: row.durable
  }
}
CALL (s) {
  MATCH (s)-[old:WORKED_ON]->(:Goal)
  DELETE old
}
CALL (s) {
  MATCH (s)-[h:HOLDS]->(:Observation)-[e:EVIDENCES]->(g:Goal)
  WHERE h.until IS NULL AND e.until IS NULL AND
    // part: is_shown(h)
  WITH DISTINCT s, g
  CREATE (s)-[:WORKED_ON {scope_id: s.scope_id, goal_uid: g.uid, from_uid: s.uid}]->(g)
}
RETURN count(s) AS written
