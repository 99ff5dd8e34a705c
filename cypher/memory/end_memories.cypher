// Takes memories out of recall, each with its next version, and leaves the texts that were forgotten as digests; one row with the number changed.
// mode: write, returns: one, scope: caller
CYPHER 25
CALL () {
  UNWIND $tombstones AS row
  WITH row WHERE row.scope_id IN $writable
  MERGE (t:Tombstone {scope_id: row.scope_id, text_key: row.text_key})
    ON CREATE SET t = row
}
UNWIND $rows AS row
MATCH (m:Remembered&Memory {uid: row.properties.uid})
WHERE m.scope_id IN $writable
SET m += row.properties
REMOVE m.searchable_in, m:Unembedded
// What is forgotten is not kept in another form either. A superseded memory keeps its vector, which no search reaches.
FOREACH (_ IN CASE m.status WHEN 'forgotten' THEN [1] ELSE [] END |
  REMOVE m.terms, m.embedding_a, m.embedded_a, m.embedding_b, m.embedded_b
)
CREATE (v:Version)
SET v = row.version
CREATE (v)-[:OF]->(m)
WITH m
CALL (m) {
  // Nothing shows a part of what is not recalled any more.
  MATCH (m)<-[:PART_OF]-(p:Passage)
  DETACH DELETE p
}
CALL (m) {
  MATCH (newer:Remembered&Memory {uid: m.superseded_by})
  WHERE newer.scope_id IN $writable
  MERGE (newer)-[:SUPERSEDES]->(m)
}
WITH collect(m) AS ended
CALL (ended) {
  UNWIND ended AS m
  MATCH (m)-[about:ON]->(t:Topic)
  WHERE m.status = 'forgotten'
  WITH about, t
  // Sorted, as whoever links to topics locks them.
  ORDER BY t.scope_id, t.key
  DELETE about
  // part: unused_topic(t)
}
CALL (ended) {
  // Nothing shows what a message said that is not recalled any more: a job makes the summary of the others.
  UNWIND ended AS m
  MATCH (c:Conversation {scope_id: m.scope_id, key: m.conversation})<-[:SUMMARISES]-(s:Summary)
  WHERE m.uid <= s.upto_uid
  WITH DISTINCT c, s
  SET c.behind = c.behind + s.upto
  DETACH DELETE s
}
RETURN size(ended) AS written
