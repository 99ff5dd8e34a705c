// Changes observations, each with its next version, and their tags, entities and topics if these changed; one row with the number changed, and the new texts that were forgotten.
// mode: write, returns: one, scope: caller
CYPHER 25
CALL () {
  // The lock is held while the texts are compared.
  UNWIND $texts AS row
  WITH row WHERE row.scope_id IN $writable
  // part: forgotten_texts(tombstone, row)
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
}
// part: unembedded(o, slots)
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
  WITH o, row
  WHERE row.retopic
  MATCH (o)-[old:ON]->(t:Topic)
  WHERE NOT t.key IN [topic IN row.topics | topic.key]
  DELETE old
  // part: unused_topic(t)
}
CALL (o, row) {
  WITH o, row
  WHERE row.retopic
  UNWIND row.topics AS topic
  // part: topic(t, topic)
  WITH o, t
  WHERE NOT EXISTS { (o)-[:ON]->(t) }
  CREATE (o)-[:ON {scope_id: o.scope_id, topic_uid: t.uid, from_uid: o.uid}]->(t)
}
RETURN count(o) AS written, coalesce(head(collect(forgotten)), []) AS forgotten
