// Locks the readable proposals among some ids, so that none changes before the commit; one row.
// mode: write, returns: one, scope: caller
CYPHER 25
// The ids must be sorted: two changes of the same proposals wait for each other instead of deadlocking.
UNWIND $uids AS uid
MATCH (p:RegistryProposal {uid: uid})
WHERE p.scope_id IN $readable
SET p.locked_at = $now
WITH p
RETURN collect(p {
  // part: proposal_fields(p)
}) AS items
