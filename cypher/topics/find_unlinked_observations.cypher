// The observations of a batch that are linked to no topic; one row with them, how many were looked at, and the last id.
// mode: read
// scope: system - a migration serves every organisation
// params: after, batch
// returns: one
CYPHER 25
CALL () {
  MATCH (o:Observation&Memory)
  USING INDEX SEEK o:Memory(uid)
  WHERE o.uid > $after AND o.uid STARTS WITH 'obs_'
  RETURN o
  ORDER BY o.uid
  LIMIT $batch
}
WITH o.uid AS uid,
     CASE WHEN NOT EXISTS { (o)-[:ON]->() } THEN o {.uid, .scope_id, .org_id, .by_uid, .tags, .content} END AS item
RETURN collect(item) AS items, count(uid) AS looked, max(uid) AS last_uid
