// Locks the readable observations among some ids, so that none expires or changes before the commit; one row.
// mode: write, returns: one, scope: caller
CYPHER 25
// `uids` is sorted, so that two changes with the same evidence wait for each other instead of deadlocking.
UNWIND $uids AS uid
MATCH (o:Observation&Memory {uid: uid})
WHERE o.scope_id IN $readable
SET o.linked_at = $now
WITH o
RETURN collect(o {
  // part: observation_fields(o)
}) AS items
