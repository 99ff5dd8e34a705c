// Those of a batch of memories that have no digest of their text, or are durable and linked to no topic; one row with them, how many were looked at, and the last id.
// mode: read
// scope: system - a migration serves every organisation
// params: after, batch
// returns: one
CYPHER 25
CALL () {
  MATCH (m:Memory)
  USING INDEX SEEK m:Memory(uid)
  WHERE m.uid > $after
  RETURN m
  ORDER BY m.uid
  LIMIT $batch
}
// Before, a digest was shorter and of an observation's person too, or it was the id of a mandate.
WITH m, size(coalesce(m.text_key, '')) = 64 AS keyed,
     NOT m:Remembered OR m.status = 'forgotten' OR EXISTS { (m)-[:ON]->() } AS linked
RETURN collect(CASE WHEN NOT keyed OR NOT linked THEN m {
  .uid, .scope_id, .org_id, .by_uid, .tags, .content, keyed: keyed, linked: linked
} END) AS items, count(m) AS looked, max(m.uid) AS last_uid
