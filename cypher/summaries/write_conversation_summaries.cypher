// Stores what is left of some conversations, and the summary of each that has a new one; one row with the number of summaries.
// mode: write, returns: one, scope: system - the job serves every organisation
CYPHER 25
UNWIND $rows AS row
MATCH (c:Conversation {scope_id: row.scope_id, key: row.key})
SET c.behind = row.left
WITH c, row
WHERE row.summary IS NOT NULL
MERGE (s:Summary {of_uid: c.uid, kind: 'conversation', label: 'rolling'})
  ON CREATE SET s += row.made
SET s += row.summary
MERGE (s)-[:SUMMARISES]->(c)
WITH s, row
CALL (s) {
  MATCH (s)-[former:RESTS_ON]->()
  DELETE former
}
CALL (s, row) {
  UNWIND row.summary.refs AS uid
  MATCH (m:Message&Memory {uid: uid})
  WHERE m.scope_id = s.scope_id
  CREATE (s)-[:RESTS_ON]->(m)
}
RETURN count(s) AS written
