// The number of items that the contexts of each of some turns included; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $uids AS uid
// Without a label: while there are few receipts, the planner would start at all that have not expired.
MATCH (turn:Turn {uid: uid})-[:RECEIVED]->(receipt)
WHERE turn.scope_id IN $readable AND receipt.expires_at > $read_at
// part: included(receipt)
WITH uid, count(*) AS number
RETURN collect({uid: uid, number: number}) AS items
