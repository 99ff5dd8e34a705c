// The number of receipts of each of some turns; one row.
// mode: read
// scope: caller
// params: uids, readable, read_at
// returns: one
CYPHER 25
UNWIND $uids AS uid
MATCH (turn:Turn {uid: uid})-[:RECEIVED]->(receipt:ContextReceipt)
WHERE turn.scope_id IN $readable AND receipt.expires_at > $read_at
WITH uid, count(receipt) AS number
RETURN collect({uid: uid, number: number}) AS items
