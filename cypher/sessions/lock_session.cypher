// Locks a session of the caller until the commit; what it holds, and the memory that is named, with how near it is to what is held and to the task; no row if it is not the caller's.
// mode: write, returns: optional, scope: caller
CYPHER 25
CALL () {
  // Who holds a memory waits for whoever forgets it, and the other way round: before the session is locked.
  MATCH (kept:Memory {uid: $item})
  WHERE kept.scope_id IN $readable
  MERGE (:KeyLock {scope_id: kept.scope_id, key: 'texts'})
  RETURN count(kept) AS kept
}
CALL () {
  UNWIND $texts AS row
  // part: forgotten_texts(tombstone, row)
  RETURN count(tombstone) > 0 AS is_forgotten
}
CALL () {
  // part: own_session(s)
}
WITH s, is_forgotten
WHERE
  // part: is_own(s)
// This write locks the session, so that of two updates at once each sees what the other did.
SET s.locked_at = $now
WITH s, is_forgotten
OPTIONAL MATCH (slots:Embedding {name: 'memory'})
WITH s, is_forgotten, CASE
  // part: slot(slots)
END AS slot
OPTIONAL MATCH (named:Memory {uid: $item})
WHERE named.scope_id IN $readable AND named.live AND named.expires_at > $now AND NOT named:Fragment AND NOT named:Passage
WITH s, is_forgotten, slot, named, COLLECT {
  MATCH (s)-[h:HOLDS]->(m:Memory)
  WHERE h.until IS NULL
  RETURN {h: h, m: m}
} AS pairs
WITH s, is_forgotten, slot, named, pairs, coalesce(named, head([pair IN pairs WHERE pair.h.item_id = $item | pair.m])) AS item
WITH s, is_forgotten, slot, named, pairs, coalesce($vector,
  // part: vector(item, slot)
) AS vector
CALL (slot, vector, pairs) {
  UNWIND pairs AS pair
  WITH slot, vector, pair.h AS h, pair.m AS m
  RETURN collect(h {
    // part: slot_fields(h, m)
    ,
    // What was forgotten, has expired or may not be read any more is held no longer.
    is_there: m.live AND m.scope_id IN $readable AND m.expires_at > $now,
    cosine: CASE
      WHEN vector IS NULL THEN null
      WHEN slot = 'a' AND m.embedded_a = $encoder THEN 2 * vector.similarity.cosine(m.embedding_a, vector) - 1
      WHEN slot = 'b' AND m.embedded_b = $encoder THEN 2 * vector.similarity.cosine(m.embedding_b, vector) - 1
    END
  }) AS held
}
RETURN s {
  // part: session_fields(s)
} AS session, held, CASE
  WHEN vector IS NULL THEN null
  WHEN $task_vector IS NOT NULL THEN 2 * vector.similarity.cosine(vector, $task_vector) - 1
  // The stored vector is that of the stored task.
  WHEN coalesce($task, s.task) = s.task AND s.task_encoder = $encoder THEN 2 * vector.similarity.cosine(vector, s.task_embedding) - 1
END AS task_cosine,
is_forgotten, named {
  .uid, .content, .confidence, at: toString(coalesce(named.happened_at, named.created_at)),
  entities: COLLECT { MATCH (named)-[:MENTIONS {how: 'declared'}]->(e:Entity) RETURN e.name ORDER BY e.name LIMIT 20 }
} AS named
