// Locks the writable observations among some ids and returns which are linked; one row.
// mode: write, returns: one, scope: caller
CYPHER 25
// `uids` is sorted, so that two evaluations of the same observations wait for each other instead of deadlocking.
UNWIND $uids AS uid
MATCH (o:Observation&Memory {uid: uid})
WHERE o.scope_id IN $writable
SET o.linked_at = $now
// Whatever is decided about it now: it waits no longer.
REMOVE o.awaits_since
WITH o
CALL (o) {
  OPTIONAL MATCH (o)-[link:EVIDENCES]->(g:Goal)
  WHERE link.until IS NULL
  WITH g ORDER BY link.since, g.uid
  RETURN count(g) > 0 AS linked, collect(CASE WHEN g.scope_id IN $readable THEN g.uid END) AS goal_ids
}
RETURN collect(o {
  // part: observation_fields(o)
  , .text_key, linked: linked, goal_ids: goal_ids,
  // Only a vector of the encoder that judges it; without one, $encoder is null and none is read.
  vector: CASE WHEN o.embedded_a = $encoder THEN o.embedding_a WHEN o.embedded_b = $encoder THEN o.embedding_b END
}) AS items
