// The number of items that the contexts of each of some turns included; one row.
// mode: read
// scope: caller
// params: uids, readable
// returns: one
CYPHER 25
UNWIND $uids AS uid
MATCH (turn:Turn {uid: uid})-[:SAW]->(seen)
WHERE turn.scope_id IN $readable AND seen.scope_id IN $readable
WITH uid, count(*) AS number
RETURN collect({uid: uid, number: number}) AS items
