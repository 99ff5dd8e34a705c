// Ends the waiting of actions that have got a known type.
// mode: write
// scope: caller
// params: uids, writable, people, actor_id, now
// returns: none
CYPHER 25
UNWIND $uids AS uid
MATCH (a:PendingAction {uid: uid})
WHERE a.scope_id IN $writable
  // part: own_action(a)
  OR a.person_id IN $people
  // end part
REMOVE a.untyped
WITH a
MATCH (a)-[awaits:AWAITS]->(:RegistryProposal)
WHERE awaits.until IS NULL
SET awaits.until = $now, awaits.by = $actor_id
FINISH
