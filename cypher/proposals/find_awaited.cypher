// The unknown types that the readable actions among some ids wait for, with an empty name where none was given; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $uids AS uid
MATCH (a:PendingAction {uid: uid})
WHERE a.scope_id IN $readable
  // part: own_action(a)
OPTIONAL MATCH (a)-[awaits:AWAITS WHERE awaits.until IS NULL]->(p:RegistryProposal)
WITH a, awaits, p
WHERE a.untyped IS NOT NULL OR awaits IS NOT NULL
RETURN collect({action_id: a.uid, name: coalesce(awaits.name, ''), owner: coalesce(awaits.owner, nullIf(a.untyped, '')), proposal_id: p.uid}) AS items
