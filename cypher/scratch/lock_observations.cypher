// Locks the readable observations among some ids, so that none fades or changes before the commit; one row.
// mode: write
// scope: caller
// params: uids, readable, now
// returns: one
CYPHER 25
// Sorted by the caller: two goals from the same evidence wait for each other instead of deadlocking.
UNWIND $uids AS uid
MATCH (o:Observation&Memory {uid: uid})
WHERE o.scope_id IN $readable
SET o.linked_at = $now
WITH o
RETURN collect(o {.uid, .status, .confidence, .expires_at}) AS items
