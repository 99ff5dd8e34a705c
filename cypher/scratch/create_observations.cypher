// Stores observations with their tags, entities and topics, or none if a text was forgotten; one row with their number, the forgotten texts, the earlier observations that have the same frames, and those near in meaning.
// mode: write
// scope: caller
// params: rows, texts, tags, entities, topics, frames, near, encoder, most, nearest, longest, now, writable
// returns: one
CYPHER 25
CALL () {
  // Before anything is written: the lock is held while the texts are compared.
  UNWIND $texts AS row
  WITH row WHERE row.scope_id IN $writable
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
CALL () {
  CALL () {
    // The slot that has vectors of this encoder.
    OPTIONAL MATCH (slots:Embedding {name: 'memory'})
    RETURN CASE
      WHEN slots.a = $encoder AND (slots.serving = 'a' OR coalesce(slots.b, '') <> $encoder) THEN 'a'
      WHEN slots.b = $encoder THEN 'b'
    END AS slot
  }
  CALL (slot) {
    UNWIND CASE slot WHEN 'a' THEN $near ELSE [] END AS text
    CALL (text) {
      MATCH (other:Memory)
      SEARCH other IN (
        VECTOR INDEX memory_vector_a FOR text.vector
        WHERE other.searchable_in = text.scope_id AND other.kind = 'observation' AND other.expires_at > $now
        LIMIT $nearest
      ) SCORE AS score
      WHERE text.scope_id IN $writable AND other.scope_id = text.scope_id AND other.uid <> text.uid
        AND coalesce(other.user_id, '') = text.user_id AND size(other.content) <= $longest
      RETURN other, score
    }
    RETURN text.uid AS uid, other, score
    UNION ALL
    UNWIND CASE slot WHEN 'b' THEN $near ELSE [] END AS text
    CALL (text) {
      MATCH (other:Memory)
      SEARCH other IN (
        VECTOR INDEX memory_vector_b FOR text.vector
        WHERE other.searchable_in = text.scope_id AND other.kind = 'observation' AND other.expires_at > $now
        LIMIT $nearest
      ) SCORE AS score
      WHERE text.scope_id IN $writable AND other.scope_id = text.scope_id AND other.uid <> text.uid
        AND coalesce(other.user_id, '') = text.user_id AND size(other.content) <= $longest
      RETURN other, score
    }
    RETURN text.uid AS uid, other, score
  }
  WITH uid, other, score ORDER BY score DESC, other.uid DESC
  WITH uid, collect(other {.uid, .content, .user_id, .entity_uids}) AS found
  RETURN collect({uid: uid, found: found}) AS near
}
// end part
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
  MATCH (common:Space {org_id: row.org_id, key: 'common'})
  MERGE (e:Entity {org_id: row.org_id, key: row.key})
    ON CREATE SET e.uid = row.uid, e.scope_id = common.uid, e.name = row.caption, e.created_at = row.created_at,
                  e.by_uid = row.by_uid
  // A node of its own and not a relationship to the space: a new name locks its key, and no other writer of the space waits.
  MERGE (named:Name {scope_id: row.scope_id, key: row.key})
    ON CREATE SET named.uid = row.name_uid, named.org_id = row.org_id, named.entity_uid = row.uid, named.name = row.name,
                  named.kind = row.kind, named.created_at = row.created_at, named.by_uid = row.by_uid
  MERGE (named)-[:SPELLS]->(e)
  WITH named, row
  // Set only if it changes something, because a write would wait for the locks of other transactions.
  WHERE named.kind IS NULL AND row.kind IS NOT NULL
  SET named.kind = row.kind
  // end part
}
OPTIONAL MATCH (slots:Embedding {name: 'memory'})
CALL (slots, forgotten) {
  UNWIND CASE WHEN size(forgotten) = 0 THEN $rows ELSE [] END AS row
  WITH slots, row WHERE row.properties.scope_id IN $writable
  CREATE (o:Observation:Memory)
  SET o = row.properties
  // part: embedding(o, row, slots)
  SET o.embedding_a = CASE WHEN slots.a = $encoder THEN row.vector END,
      o.embedded_a = CASE WHEN slots.a = $encoder AND row.vector IS NOT NULL THEN $encoder END,
      o.embedding_b = CASE WHEN slots.b = $encoder THEN row.vector END,
      o.embedded_b = CASE WHEN slots.b = $encoder AND row.vector IS NOT NULL THEN $encoder END
  // end part
  // part: unembedded(o, slots)
  REMOVE o:Unembedded
  FOREACH (_ IN CASE
    WHEN o.searchable_in IS NULL OR CASE slots.serving WHEN 'b' THEN o.embedded_b ELSE o.embedded_a END IS NOT NULL THEN []
    ELSE [1]
  END | SET o:Unembedded)
  // end part
  WITH o, row
  CALL (o, row) {
    UNWIND row.properties.tag_keys AS key
    MATCH (tag:Tag {scope_id: row.properties.scope_id, key: key})
    CREATE (o)-[:TAGGED {tag_uid: tag.uid, memory_uid: o.uid}]->(tag)
  }
  // part: mentions(o, row)
  CALL (o, row) {
    UNWIND row.mentions AS mention
    MATCH (e:Entity {uid: mention.entity_uid})
    CREATE (o)-[:MENTIONS {
      how: 'declared', confidence: 1.0, count: mention.count, scope_id: o.scope_id, entity_uid: e.uid, from_uid: o.uid
    }]->(e)
  }
  CALL (o, row) {
    UNWIND row.names AS name
    MATCH (known:Name)
    USING INDEX SEEK known:Name(scope_id, key)
    // As a range: to look for one key by the constraint locks it, and writers whose texts have one name would wait for each other.
    WHERE known.scope_id = o.scope_id AND known.key >= name.key AND known.key <= name.key
      AND NOT known.entity_uid IN [mention IN row.mentions | mention.entity_uid]
    WITH o, collect({
      uid: known.entity_uid, first: name.first, last: name.last, confidence: CASE WHEN name.text = known.name THEN name.alike ELSE name.otherwise END
    }) AS found
    UNWIND found AS hit
    // Of two names in one place the longer one is meant.
    WITH o, hit
    WHERE NOT any(wider IN found WHERE wider.first <= hit.first AND wider.last >= hit.last AND wider.last - wider.first > hit.last - hit.first)
    WITH o, hit.uid AS uid, count(*) AS number, max(hit.confidence) AS confidence
    MATCH (e:Entity {uid: uid})
    // Without `entity_uid`, which a declared mention has: what reads the index of mentions has those alone.
    CREATE (o)-[:MENTIONS {how: 'extracted', confidence: confidence, count: number, scope_id: o.scope_id, from_uid: o.uid}]->(e)
  }
  // end part
  RETURN collect(o) AS stored
}
CALL (stored, forgotten) {
  // Topic by topic and not observation by observation: concurrent transactions link to the same topics in the same order.
  UNWIND CASE WHEN size(forgotten) = 0 THEN $topics ELSE [] END AS row
  WITH stored, row WHERE row.scope_id IN $writable
  // part: topic(t, row)
  MERGE (t:Topic {scope_id: row.scope_id, key: row.key})
    ON CREATE SET t.uid = row.uid, t.org_id = row.org_id, t.name = row.name, t.created_at = row.created_at, t.by_uid = row.by_uid
  // end part
  WITH stored, row, t
  UNWIND row.about AS item
  WITH stored[item.place] AS o, item.uid AS uid, row, t
  WHERE o IS NOT NULL
  CREATE (o)-[:ON {scope_id: row.scope_id, topic_uid: t.uid, from_uid: uid}]->(t)
}
RETURN size(stored) AS written, known, near, forgotten
