// Stores observations with their tags, entities and topics, or none if a text was forgotten; one row with their number, the forgotten texts, the earlier observations that have the same frames, and those near in meaning.
// mode: write, returns: one, scope: caller
CYPHER 25
CALL () {
  // Before anything is written: the lock is held while the texts are compared.
  UNWIND $texts AS row
  WITH row WHERE row.scope_id IN $writable
  // part: forgotten_texts(tombstone, row)
  RETURN collect(DISTINCT tombstone.text_key) AS forgotten
}
CALL () {
  // The newest observations of each frame, which may contradict the new ones. Read before the new ones are created.
  UNWIND $frames AS frame
  CALL (frame) {
    WITH frame WHERE frame.scope_id IN $writable
    MATCH (other:Observation)
    USING INDEX SEEK other:Observation(scope_id, frame_key, uid)
    WHERE other.scope_id = frame.scope_id AND other.frame_key = frame.key AND other.uid IS NOT NULL
    WITH other
    // All three properties, although two are constant here: only then does the planner use the order of the index.
    ORDER BY other.scope_id DESC, other.frame_key DESC, other.uid DESC
    // This limits how many expired observations are read. Of the newest 5 * $most, the active ones are enough.
    LIMIT 5 * $most
    WITH other
    WHERE other.status = 'active' AND other.expires_at > $now AND size(other.content) <= $longest
    LIMIT $most
    RETURN collect(other {.uid, .content}) AS found
  }
  WITH frame, found WHERE size(found) > 0
  RETURN collect({key: frame.key, found: found}) AS known
}
// Those that are near in meaning. Read before the new ones are created, too.
// part: near_observations(near)
CALL (forgotten) {
  // Tags come first and sorted, so that concurrent transactions lock the same tags in the same order.
  UNWIND CASE WHEN size(forgotten) = 0 THEN $tags ELSE [] END AS row
  MERGE (tag:Tag {scope_id: row.scope_id, key: row.key})
    ON CREATE SET tag.uid = row.uid, tag.org_id = row.org_id, tag.name = row.name, tag.created_at = row.created_at,
                  tag.by_uid = row.by_uid
}
CALL (forgotten) {
  // Entities belong to the organisation, their spellings to the space. They are sorted like the tags.
  UNWIND CASE WHEN size(forgotten) = 0 THEN $entities ELSE [] END AS row
  WITH row WHERE row.scope_id IN $writable
  // part: entity(row)
}
OPTIONAL MATCH (slots:Embedding {name: 'memory'})
CALL (slots, forgotten) {
  UNWIND CASE WHEN size(forgotten) = 0 THEN $rows ELSE [] END AS row
  WITH slots, row WHERE row.properties.scope_id IN $writable
  CREATE (o:Observation:Memory)
  SET o = row.properties
  // part: embedding(o, row, slots)
  // part: unembedded(o, slots)
  WITH o, row
  CALL (o, row) {
    UNWIND row.properties.tag_keys AS key
    MATCH (tag:Tag {scope_id: row.properties.scope_id, key: key})
    CREATE (o)-[:TAGGED {tag_uid: tag.uid, memory_uid: o.uid}]->(tag)
  }
  // part: mentions(o, row)
  RETURN collect(o) AS stored
}
CALL (stored, forgotten) {
  // Topic by topic and not observation by observation: concurrent transactions link to the same topics in the same order.
  UNWIND CASE WHEN size(forgotten) = 0 THEN $topics ELSE [] END AS row
  WITH stored, row WHERE row.scope_id IN $writable
  // part: topic(t, row)
  WITH stored, row, t
  UNWIND row.about AS item
  WITH stored[item.place] AS o, item.uid AS uid, row, t
  WHERE o IS NOT NULL
  CREATE (o)-[:ON {scope_id: row.scope_id, topic_uid: t.uid, from_uid: uid}]->(t)
}
RETURN size(stored) AS written, known, near, forgotten
