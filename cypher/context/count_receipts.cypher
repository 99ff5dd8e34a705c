// The number of receipts of each of some turns; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $uids AS uid
// Without a label: while there are few receipts, the planner would start at all that have not expired.
MATCH (turn:Turn {uid: uid})-[:RECEIVED]->(receipt)
WHERE turn.scope_id IN $readable AND receipt.expires_at > $read_at
WITH uid, count(receipt) AS number
RETURN collect({uid: uid, number: number}) AS items
