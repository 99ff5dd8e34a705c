// The readable turns that created some nodes, one row.
// mode: read
// scope: caller
// params: uids, operations, readable
// returns: one
CYPHER 25
UNWIND $uids AS uid
MATCH (n:Memory|Goal|PendingAction|Question|Story|RegistryProposal {uid: uid})<-[made:MADE]-(turn:Turn)
WHERE made.operation IN $operations AND turn.scope_id IN $readable
RETURN collect({of: uid, turn: turn {.uid, .key, .scope_id, .created_at, .by_uid}}) AS items
