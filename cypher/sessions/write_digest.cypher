// Writes what a locked session is about: its links to topics and goals, and the mean vector of what it holds, else the one of its task; one row with the number of sessions written.
// mode: write
// scope: caller
// params: uid, writable, is_empty, topics, keys, encoder, until, now
// returns: one
CYPHER 25
OPTIONAL MATCH (slots:Embedding {name: 'memory'})
MATCH (s:Session {uid: $uid})
WHERE s.scope_id IN $writable
WITH s, CASE
  // part: slot(slots)
  WHEN slots.a = $encoder AND (slots.serving = 'a' OR coalesce(slots.b, '') <> $encoder) THEN 'a'
  WHEN slots.b = $encoder THEN 'b'
  // end part
END AS slot
WITH s, COLLECT {
  MATCH (s)-[h:HOLDS]->(m:Memory)
  WHERE h.until IS NULL AND m.live AND m.expires_at > $now AND
    // part: is_shown(h)
    NOT coalesce(h.redacted, false)
    // end part
  WITH
    // part: vector(m, slot)
    CASE slot
      WHEN 'a' THEN CASE WHEN m.embedded_a = $encoder THEN m.embedding_a END
      WHEN 'b' THEN CASE WHEN m.embedded_b = $encoder THEN m.embedding_b END
    END
    // end part
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
  WITH DISTINCT t
  WHERE NOT EXISTS { (t)<-[:ON]-() }
  DELETE t
  // end part
}
CALL (s) {
  UNWIND $topics AS row
  // part: topic(t, row)
  MERGE (t:Topic {scope_id: row.scope_id, key: row.key})
    ON CREATE SET t.uid = row.uid, t.org_id = row.org_id, t.name = row.name, t.created_at = row.created_at, t.by_uid = row.by_uid
  // end part
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
    NOT coalesce(h.redacted, false)
    // end part
  WITH DISTINCT s, g
  CREATE (s)-[:WORKED_ON {scope_id: s.scope_id, goal_uid: g.uid, from_uid: s.uid}]->(g)
}
RETURN count(s) AS written
