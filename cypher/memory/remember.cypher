// Stores durable memories, each with its first version, its entities, its topics, its passages, its sources and its place in a conversation; one row with the number stored.
// mode: write
// scope: caller
// params: rows, entities, topics, conversations, encoder, readable, writable
// returns: one
CYPHER 25
CALL () {
  // Entities belong to the organisation, their spellings to the space. They are sorted, so that concurrent transactions
  // lock them in the same order.
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
WITH slots, row WHERE row.properties.scope_id IN $writable
CREATE (m:Memory:Remembered)
SET m = row.properties, m:$(row.label)
// part: embedding(m, row, slots)
SET m.embedding_a = CASE WHEN slots.a = $encoder THEN row.vector END,
    m.embedded_a = CASE WHEN slots.a = $encoder AND row.vector IS NOT NULL THEN $encoder END,
    m.embedding_b = CASE WHEN slots.b = $encoder THEN row.vector END,
    m.embedded_b = CASE WHEN slots.b = $encoder AND row.vector IS NOT NULL THEN $encoder END
// end part
// part: unembedded(m, slots)
REMOVE m:Unembedded
FOREACH (_ IN CASE
  WHEN m.searchable_in IS NULL OR CASE slots.serving WHEN 'b' THEN m.embedded_b ELSE m.embedded_a END IS NOT NULL THEN []
  ELSE [1]
END | SET m:Unembedded)
// end part
CREATE (v:Version)
SET v = row.version
CREATE (v)-[:OF]->(m)
WITH m, row, slots
// part: passages(m, row, slots)
CALL (m, row, slots) {
  UNWIND row.passages AS passage
  CREATE (p:Memory:Passage)
  SET p = passage.properties
  SET p.embedding_a = CASE WHEN slots.a = $encoder THEN passage.vector END,
      p.embedded_a = CASE WHEN slots.a = $encoder AND passage.vector IS NOT NULL THEN $encoder END,
      p.embedding_b = CASE WHEN slots.b = $encoder THEN passage.vector END,
      p.embedded_b = CASE WHEN slots.b = $encoder AND passage.vector IS NOT NULL THEN $encoder END
  REMOVE p:Unembedded
  FOREACH (_ IN CASE
    WHEN p.searchable_in IS NULL OR CASE slots.serving WHEN 'b' THEN p.embedded_b ELSE p.embedded_a END IS NOT NULL THEN []
    ELSE [1]
  END | SET p:Unembedded)
  CREATE (p)-[:PART_OF]->(m)
}
// end part
// part: mentions(m, row)
CALL (m, row) {
  UNWIND row.mentions AS mention
  MATCH (e:Entity {uid: mention.entity_uid})
  CREATE (m)-[:MENTIONS {
    how: 'declared', confidence: 1.0, count: mention.count, scope_id: m.scope_id, entity_uid: e.uid, from_uid: m.uid
  }]->(e)
}
CALL (m, row) {
  UNWIND row.names AS name
  MATCH (known:Name)
  USING INDEX SEEK known:Name(scope_id, key)
  // As a range: to look for one key by the constraint locks it, and writers whose texts have one name would wait for each other.
  WHERE known.scope_id = m.scope_id AND known.key >= name.key AND known.key <= name.key
    AND NOT known.entity_uid IN [mention IN row.mentions | mention.entity_uid]
  WITH m, collect({
    uid: known.entity_uid, first: name.first, last: name.last, confidence: CASE WHEN name.text = known.name THEN name.alike ELSE name.otherwise END
  }) AS found
  UNWIND found AS hit
  // Of two names in one place the longer one is meant.
  WITH m, hit
  WHERE NOT any(wider IN found WHERE wider.first <= hit.first AND wider.last >= hit.last AND wider.last - wider.first > hit.last - hit.first)
  WITH m, hit.uid AS uid, count(*) AS number, max(hit.confidence) AS confidence
  MATCH (e:Entity {uid: uid})
  // Without `entity_uid`, which a declared mention has: what reads the index of mentions has those alone.
  CREATE (m)-[:MENTIONS {how: 'extracted', confidence: confidence, count: number, scope_id: m.scope_id, from_uid: m.uid}]->(e)
}
// end part
CALL (m, row) {
  UNWIND row.sources AS uid
  MATCH (source:Memory {uid: uid})
  WHERE source.scope_id IN $readable
  CREATE (m)-[:RESTS_ON]->(source)
}
WITH collect(m) AS stored
CALL (stored) {
  // Topic by topic and not memory by memory: concurrent transactions link to the same topics in the same order.
  UNWIND $topics AS row
  WITH stored, row WHERE row.scope_id IN $writable
  // part: topic(t, row)
  MERGE (t:Topic {scope_id: row.scope_id, key: row.key})
    ON CREATE SET t.uid = row.uid, t.org_id = row.org_id, t.name = row.name, t.created_at = row.created_at, t.by_uid = row.by_uid
  // end part
  WITH stored, row, t
  UNWIND row.about AS item
  WITH stored[item.place] AS m, item.uid AS uid, row, t
  WHERE m IS NOT NULL
  CREATE (m)-[:ON {scope_id: row.scope_id, topic_uid: t.uid, from_uid: uid}]->(t)
}
CALL () {
  UNWIND $conversations AS row
  WITH row WHERE row.scope_id IN $writable
  MERGE (c:Conversation {scope_id: row.scope_id, key: row.key})
    ON CREATE SET c.uid = row.uid, c.org_id = row.org_id, c.name = row.name, c.created_at = row.created_at, c.by_uid = row.by_uid,
                  c.last_uid = '', c.behind = 0
  // This write locks the conversation, so that the message before these is the last one also when two callers add at once.
  SET c.key = row.key
  WITH c, row, CASE c.last_uid WHEN '' THEN row.uids ELSE [c.last_uid] + row.uids END AS uids
  SET c.last_uid = row.last_uid, c.behind = coalesce(c.behind, 0) + size(row.uids)
  WITH uids
  UNWIND range(1, size(uids) - 1) AS place
  MATCH (before:Message&Memory {uid: uids[place - 1]})
  MATCH (after:Message&Memory {uid: uids[place]})
  CREATE (before)-[:NEXT]->(after)
}
RETURN size(stored) AS written
