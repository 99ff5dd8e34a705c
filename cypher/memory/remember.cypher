// Stores durable memories, each with its first version, its entities, its topics, its passages, its sources and its place in a conversation; one row with the number stored.
// mode: write, returns: one, scope: caller
CYPHER 25
CALL () {
  // Entities belong to the organisation, their spellings to the space. They are sorted, so that concurrent transactions
  // lock them in the same order.
  UNWIND $entities AS row
  WITH row WHERE row.scope_id IN $writable
  // part: entity(row)
}
OPTIONAL MATCH (slots:Embedding {name: 'memory'})
UNWIND $rows AS row
WITH slots, row WHERE row.properties.scope_id IN $writable
CREATE (m:Memory:Remembered)
SET m = row.properties, m:$(row.label)
// part: embedding(m, row, slots)
// part: unembedded(m, slots)
CREATE (v:Version)
SET v = row.version
CREATE (v)-[:OF]->(m)
WITH m, row, slots
// part: passages(m, row, slots)
// part: mentions(m, row)
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
