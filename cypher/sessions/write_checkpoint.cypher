// Keeps what a locked session holds, as references, and deletes the oldest checkpoints that are too many; no row if the caller may not write to it.
// mode: write, returns: optional, scope: caller
CYPHER 25
MATCH (s:Session {uid: $uid})
WHERE s.scope_id IN $writable
SET s += $session
WITH s
CALL (s) {
  MATCH (s)-[:SAVED]->(same:Checkpoint)
  WHERE same.key = $checkpoint.key
  DETACH DELETE same
}
CALL (s) {
  MATCH (s)-[:SAVED]->(old:Checkpoint)
  WITH old
  ORDER BY old.uid DESC
  SKIP $most - 1
  DETACH DELETE old
}
CREATE (s)-[:SAVED]->(c:Checkpoint)
SET c = $checkpoint, c.task_embedding = s.task_embedding, c.task_encoder = s.task_encoder
WITH s, c
CALL (s, c) {
  MATCH (s)-[h:HOLDS]->(m:Memory)
  WHERE h.until IS NULL AND m.live AND m.scope_id IN $readable AND m.expires_at > $now
  CREATE (c)-[k:KEEPS]->(m)
  // Numbers, times and codes: no names, and no text.
  SET k = h {
    .item_id, .content_type, .temporal_context, .confidence, .salience, .relevance, .urgency, .recency, .attention, .contextual_importance,
    .task_relevance, .coherence_boost, .admission_score, .threshold, .reasons, .pinned
  }
  WITH k
  ORDER BY k.salience DESC, k.item_id
  RETURN collect(k.item_id) AS item_ids
}
SET c.item_ids = item_ids
RETURN c {
  // part: checkpoint_fields(c)
} AS checkpoint
