// Ends the waiting of actions that have got a known type.
// mode: write, returns: none, scope: caller
CYPHER 25
UNWIND $uids AS uid
MATCH (a:PendingAction {uid: uid})
WHERE a.scope_id IN $writable
  // part: own_action(a)
REMOVE a.untyped
WITH a
MATCH (a)-[awaits:AWAITS]->(:RegistryProposal)
WHERE awaits.until IS NULL
SET awaits.until = $now, awaits.by = $actor_id
FINISH
