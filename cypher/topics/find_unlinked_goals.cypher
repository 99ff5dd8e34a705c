// A batch of goals that still have their topics in a list, with the texts of evidence if some of it is in another space; one row.
// mode: read
// scope: system - a migration serves every organisation
// params: after, batch
// returns: one
CYPHER 25
CALL () {
  MATCH (g:Goal)
  USING INDEX SEEK g:Goal(uid)
  WHERE g.uid > $after
  RETURN g
  ORDER BY g.uid
  LIMIT $batch
}
WITH g, EXISTS { MATCH (o:Observation)-[:EVIDENCES]->(g) WHERE o.scope_id <> g.scope_id } AS foreign
WITH g, foreign, COLLECT {
  MATCH (o:Observation)-[:EVIDENCES]->(g)
  WHERE foreign AND o.scope_id = g.scope_id
  RETURN DISTINCT o {.tags, .content}
} AS evidence
WITH g.uid AS uid, CASE WHEN g.topic_keys IS NOT NULL THEN g {
  .uid, .scope_id, .org_id, .by_uid, .title, .goal_type, .topic_keys, foreign: foreign, evidence: evidence
} END AS item
RETURN collect(item) AS items, count(uid) AS looked, max(uid) AS last_uid
