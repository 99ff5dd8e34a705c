// The unknown types that the readable actions among some ids wait for; one row.
// mode: read
// scope: caller
// params: uids, readable
// returns: one
CYPHER 25
UNWIND $uids AS uid
MATCH (action:PendingAction {uid: uid})-[awaits:AWAITS]->(p:RegistryProposal)
WHERE action.scope_id IN $readable AND awaits.until IS NULL
RETURN collect({action_id: action.uid, name: awaits.name, owner: awaits.owner, proposal_id: p.uid}) AS items
