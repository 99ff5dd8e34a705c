// Writes what an update did to a locked session: what left, what came, what changed, and the session itself; one row with the number of sessions written.
// mode: write, returns: one, scope: caller
CYPHER 25
OPTIONAL MATCH (slots:Embedding {name: 'memory'})
MATCH (s:Session {uid: $uid})
WHERE s.scope_id IN $writable
SET s += $session
FOREACH (task IN $task | SET s.task_embedding = task.vector, s.task_encoder = CASE WHEN task.vector IS NOT NULL THEN $encoder END)
WITH s, slots
CALL (s) {
  UNWIND $ended AS row
  MATCH (s)-[h:HOLDS]->(:Memory)
  WHERE h.item_id = row.item_id AND h.until IS NULL
  SET h.until = $now, h.left_because = row.reason, h.eviction_score = row.score
  // part: nameless_slot(h)
}
CALL (s) {
  // A text that lived in the session is destroyed when it leaves.
  UNWIND $ended AS row
  MATCH (s)-[h:HOLDS]->(m:Fragment)
  WHERE h.item_id = row.item_id AND h.until = $now
  // part: destroyed_text(m)
}
CALL (s) {
  // What the session was about is kept for a while once it has ended. While it goes on, nothing is kept of a text that left or changed, or of an
  // item that was redacted: a job writes what the session is about anew.
  WITH s
  WHERE s.status = 'active' AND ($is_text_gone OR size($redacted) > 0 OR EXISTS { MATCH (s)-[h:HOLDS]->(:Fragment) WHERE h.until = $now })
  REMOVE s.digest, s.digest_encoder
  WITH s
  MATCH (s)-[about:ON]->(t:Topic)
  WHERE NOT about.durable OR size($redacted) > 0
  WITH about, t
  // Sorted, as whoever links to topics locks them.
  ORDER BY t.scope_id, t.key
  DELETE about
  // part: unused_topic(t)
}
CALL (s) {
  // Checkpoints are there only while the session lives (decision G-074).
  MATCH (s)-[:SAVED]->(c:Checkpoint)
  WHERE s.status = 'ended'
  DETACH DELETE c
}
CALL (s) {
  WITH s WHERE $topics_may_differ
  SET s.uncorrelated_since = coalesce(s.uncorrelated_since, $now)
}
CALL (slots) {
  UNWIND $fragments AS row
  CREATE (m:Memory:Fragment)
  SET m = row.properties
  // part: embedding(m, row, slots)
}
CALL (s) {
  UNWIND $held AS row
  MATCH (m:Memory {uid: row.memory_uid})
  WHERE m.scope_id IN $readable
  CREATE (s)-[h:HOLDS]->(m)
  SET h = row.properties
}
CALL (s) {
  UNWIND $changed AS row
  MATCH (s)-[h:HOLDS]->(:Memory)
  WHERE h.item_id = row.item_id AND h.until IS NULL
  SET h += row.properties
}
CALL (s, slots) {
  UNWIND $changed AS row
  MATCH (s)-[h:HOLDS]->(m:Fragment)
  WHERE h.item_id = row.item_id AND h.until IS NULL AND row.content IS NOT NULL
  SET m.content = row.content, m.text_key = row.text_key, m.updated_at = $now, m.version = m.version + 1
  // part: embedding(m, row, slots)
}
CALL (s) {
  // Also for the times that the session held it before.
  UNWIND $redacted AS uid
  MATCH (s)-[h:HOLDS]->(:Memory {uid: uid})
  SET h.redacted = true
}
CALL (s) {
  // What a checkpoint keeps of an item is no more than what its slot has now.
  UNWIND $redacted AS uid
  MATCH (s)-[h:HOLDS]->(m:Memory {uid: uid})
  WHERE h.until IS NULL
  MATCH (s)-[:SAVED]->(:Checkpoint)-[k:KEEPS]->(m)
  SET k.content_type = h.content_type, k.temporal_context = h.temporal_context
}
CALL (s) {
  WITH s WHERE size($redacted) > 0
  MATCH (s)-[old:WORKED_ON]->(:Goal)
  DELETE old
}
RETURN count(s) AS written
