// Links durable memories to topics, topic by topic.
// mode: write
// scope: system - a migration serves every organisation
// params: topics
// returns: none
CYPHER 25
UNWIND $topics AS row
// part: topic(t, row)
MERGE (t:Topic {scope_id: row.scope_id, key: row.key})
  ON CREATE SET t.uid = row.uid, t.org_id = row.org_id, t.name = row.name, t.created_at = row.created_at, t.by_uid = row.by_uid
// end part
WITH row, t
UNWIND row.uids AS uid
MATCH (m:Remembered&Memory {uid: uid})
WHERE NOT EXISTS { (m)-[:ON]->(t) }
CREATE (m)-[:ON {scope_id: row.scope_id, topic_uid: t.uid, from_uid: m.uid}]->(t)
