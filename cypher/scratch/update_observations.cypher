// Changes observations, each with its next version, and their tags, entities and topics if these changed; one row with the number changed, and the new texts that were forgotten.
// mode: write
// scope: caller
// params: rows, texts, tags, entities, encoder, writable
// returns: one
CYPHER 25
CALL () {
  // The lock is held while the texts are compared.
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
  UNWIND $tags AS row
  MERGE (tag:Tag {scope_id: row.scope_id, key: row.key})
    ON CREATE SET tag.uid = row.uid, tag.org_id = row.org_id, tag.name = row.name, tag.created_at = row.created_at,
                  tag.by_uid = row.by_uid
}
CALL () {
  // Entities belong to the organisation, their spellings to the space. They are sorted like the tags.
  UNWIND $entities AS row
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
UNWIND $rows AS row
MATCH (o:Observation&Memory {uid: row.properties.uid})
WHERE o.scope_id IN $writable
SET o += row.properties
WITH slots, o, row, forgotten
CALL (slots, o, row) {
  WITH slots, o, row
  WHERE row.revector
  // part: embedding(o, row, slots)
  SET o.embedding_a = CASE WHEN slots.a = $encoder THEN row.vector END,
      o.embedded_a = CASE WHEN slots.a = $encoder AND row.vector IS NOT NULL THEN $encoder END,
      o.embedding_b = CASE WHEN slots.b = $encoder THEN row.vector END,
      o.embedded_b = CASE WHEN slots.b = $encoder AND row.vector IS NOT NULL THEN $encoder END
  // end part
}
// part: unembedded(o, slots)
REMOVE o:Unembedded
FOREACH (_ IN CASE
  WHEN o.searchable_in IS NULL OR CASE slots.serving WHEN 'b' THEN o.embedded_b ELSE o.embedded_a END IS NOT NULL THEN []
  ELSE [1]
END | SET o:Unembedded)
// end part
CREATE (v:Version)
SET v = row.version
CREATE (v)-[:OF]->(o)
WITH o, row, forgotten
CALL (o, row) {
  WITH o, row
  WHERE row.retag
  OPTIONAL MATCH (o)-[old:TAGGED]->(:Tag)
  DELETE old
  WITH DISTINCT o, row
  UNWIND row.properties.tag_keys AS key
  MATCH (tag:Tag {scope_id: row.properties.scope_id, key: key})
  CREATE (o)-[:TAGGED {tag_uid: tag.uid, memory_uid: o.uid}]->(tag)
}
CALL (o, row) {
  WITH o, row
  WHERE row.remention
  MATCH (o)-[old:MENTIONS]->(:Entity)
  DELETE old
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
CALL (o, row) {
  WITH o, row
  WHERE row.retopic
  MATCH (o)-[old:ON]->(t:Topic)
  WHERE NOT t.key IN [topic IN row.topics | topic.key]
  DELETE old
  // part: unused_topic(t)
  WITH DISTINCT t
  WHERE NOT EXISTS { (t)<-[:ON]-() }
  DELETE t
  // end part
}
CALL (o, row) {
  WITH o, row
  WHERE row.retopic
  UNWIND row.topics AS topic
  // part: topic(t, topic)
  MERGE (t:Topic {scope_id: topic.scope_id, key: topic.key})
    ON CREATE SET t.uid = topic.uid, t.org_id = topic.org_id, t.name = topic.name, t.created_at = topic.created_at, t.by_uid = topic.by_uid
  // end part
  WITH o, t
  WHERE NOT EXISTS { (o)-[:ON]->(t) }
  CREATE (o)-[:ON {scope_id: o.scope_id, topic_uid: t.uid, from_uid: o.uid}]->(t)
}
RETURN count(o) AS written, coalesce(head(collect(forgotten)), []) AS forgotten
