// Stores summaries with their links and skips those that exist already; one row with the ids of the new ones.
// mode: write, returns: one, scope: organisation
CYPHER 25
UNWIND $rows AS row
MATCH (n:Goal|PendingAction {uid: row.of_uid})
WHERE n.org_id = $org_id
MERGE (s:Summary {of_uid: row.of_uid, kind: row.kind, label: row.label})
  ON CREATE SET s += row
WITH n, s, row
WHERE s.uid = row.uid
CREATE (s)-[:SUMMARISES]->(n)
WITH s, row
CALL (s, row) {
  UNWIND row.refs AS ref
  MATCH (o:Memory {uid: ref})
  WHERE o.org_id = $org_id
  CREATE (s)-[:RESTS_ON]->(o)
  RETURN count(*) AS linked
}
RETURN collect(s.uid) AS made
