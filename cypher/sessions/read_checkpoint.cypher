// A checkpoint of a session of the caller, by its id or name, else the newest, with what became of its items; no row if there is none.
// mode: read, returns: optional, scope: caller
CYPHER 25
CALL () {
  // part: own_session(s)
}
WITH s
WHERE
  // part: is_own(s)
MATCH (s)-[:SAVED]->(c:Checkpoint)
WHERE $checkpoint IS NULL OR c.uid = $checkpoint OR c.key = $checkpoint
WITH s, c
ORDER BY c.uid DESC
LIMIT 1
RETURN c {
  // part: checkpoint_fields(c)
} AS checkpoint, c.task_embedding AS task_vector, c.task_encoder AS task_encoder, COLLECT {
  MATCH (c)-[k:KEEPS]->(m:Memory)
  WITH k, m, m.scope_id IN $readable AS is_readable
  RETURN k {
    .item_id, .content_type, temporal_context: toString(k.temporal_context), .confidence, .salience, .relevance, .urgency, .recency, .attention,
    .contextual_importance, .task_relevance, .coherence_boost, .admission_score, .threshold, .reasons, .pinned,
    memory_uid: m.uid, is_fragment: m:Fragment, redacted: EXISTS { MATCH (s)-[h:HOLDS]->(m) WHERE h.redacted },
    content: CASE WHEN is_readable AND m.live THEN m.content END,
    entities: CASE
      WHEN is_readable AND m.live THEN COLLECT { MATCH (m)-[:MENTIONS {how: 'declared'}]->(e:Entity) RETURN e.name ORDER BY e.name LIMIT 20 }
      ELSE []
    END,
    missing: CASE
      // What is held still needs no memory to come back; see the rule.
      WHEN m:Fragment THEN 'destroyed'
      WHEN NOT is_readable THEN 'unreadable'
      WHEN NOT m.live THEN 'gone'
      WHEN m.expires_at <= $now THEN 'expired'
    END
  }
} AS items
