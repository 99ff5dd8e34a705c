// Locks a session of the caller until the commit; what it holds, and the memory that is named, with how near it is to what is held and to the task; no row if it is not the caller's.
// mode: write
// scope: caller
// params: session, scope_id, device_id, item, texts, vector, task, task_vector, encoder, readable, now
// returns: optional
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
  // The node stays: to find it by its key takes a lock that others may share, to create it one that nobody else has.
  MERGE (:KeyLock {scope_id: row.scope_id, key: 'texts'})
  WITH row
  WHERE EXISTS { MATCH (first:Tombstone) WHERE first.scope_id = row.scope_id AND first.text_key > '' }
  UNWIND row.keys AS text_key
  MATCH (tombstone:Tombstone)
  USING INDEX SEEK tombstone:Tombstone(scope_id, text_key)
  // As a range: to look for one key by the constraint locks it, and two that store the same text would wait for each other.
  WHERE tombstone.scope_id = row.scope_id AND tombstone.text_key >= text_key AND tombstone.text_key <= text_key
  // end part
  RETURN count(tombstone) > 0 AS is_forgotten
}
CALL () {
  // part: own_session(s)
  MATCH (s:Session)
  WHERE s.uid = $session
  RETURN s
  UNION
  MATCH (s:Session)
  WHERE s.scope_id = $scope_id AND s.key = $session
  RETURN s
  // end part
}
WITH s, is_forgotten
WHERE
  // part: is_own(s)
  s.scope_id = $scope_id AND s.scope_id IN $readable AND coalesce(s.device_id, '') = $device_id
  // end part
// This write locks the session, so that of two updates at once each sees what the other did.
SET s.locked_at = $now
WITH s, is_forgotten
OPTIONAL MATCH (slots:Embedding {name: 'memory'})
WITH s, is_forgotten, CASE
  // part: slot(slots)
  WHEN slots.a = $encoder AND (slots.serving = 'a' OR coalesce(slots.b, '') <> $encoder) THEN 'a'
  WHEN slots.b = $encoder THEN 'b'
  // end part
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
  CASE slot
    WHEN 'a' THEN CASE WHEN item.embedded_a = $encoder THEN item.embedding_a END
    WHEN 'b' THEN CASE WHEN item.embedded_b = $encoder THEN item.embedding_b END
  END
  // end part
) AS vector
CALL (slot, vector, pairs) {
  UNWIND pairs AS pair
  WITH slot, vector, pair.h AS h, pair.m AS m
  RETURN collect(h {
    // part: held_fields(h, m)
    .item_id, memory_uid: m.uid, content: m.content, .content_type, .entities, .themes, temporal_context: toString(h.temporal_context), source: h.item_source, .confidence,
    .salience, .relevance, .urgency, .recency, .attention, .contextual_importance, .task_relevance, .coherence_boost, .admission_score, .threshold, .reasons,
    admission_time: toString(h.since), last_access: toString(h.last_access), .access_count, .pinned, redacted: coalesce(h.redacted, false),
    is_fragment: m:Fragment
    // end part
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
  .uid, .scope_id, .key, .session_type, .status, .max_capacity, .task, .focus, .conversation_turn, .active_duration_minutes, .dominant_themes, .coherence,
  .thematic_coherence, .entity_coherence, .temporal_coherence, .focus_strength, .items, .items_processed, focus_changes: coalesce(s.focus_changes, 0), .person_id, .device_id,
  last_activity: toString(s.last_activity), ended_at: toString(s.ended_at), created_at: toString(s.created_at), updated_at: toString(s.updated_at), .by_uid,
  .version
  // end part
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
