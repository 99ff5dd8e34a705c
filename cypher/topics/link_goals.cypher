// Links goals to topics and removes their lists of topics.
// mode: write
// scope: system - a migration serves every organisation
// params: rows
// returns: none
CYPHER 25
UNWIND $rows AS goal
MATCH (g:Goal {uid: goal.uid})
WHERE g.topic_keys IS NOT NULL
REMOVE g.topic_keys
WITH g, goal
UNWIND goal.topics AS row
// part: topic(t, row)
MERGE (t:Topic {scope_id: row.scope_id, key: row.key})
  ON CREATE SET t.uid = row.uid, t.org_id = row.org_id, t.name = row.name, t.created_at = row.created_at, t.by_uid = row.by_uid
// end part
MERGE (g)-[on:ON]->(t)
  ON CREATE SET on.scope_id = g.scope_id, on.topic_uid = t.uid, on.from_uid = g.uid, on.own = row.own, on.evidence = row.evidence
