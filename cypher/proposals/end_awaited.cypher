// Ends the AWAITS links of actions that have got a known type.
// mode: write
// scope: caller
// params: uids, writable, actor_id, now
// returns: none
CYPHER 25
UNWIND $uids AS uid
MATCH (action:PendingAction {uid: uid})-[awaits:AWAITS]->(:RegistryProposal)
WHERE action.scope_id IN $writable AND awaits.until IS NULL
SET awaits.until = $now, awaits.by = $actor_id
FINISH
