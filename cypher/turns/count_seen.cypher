// The number of items that the contexts of each of some turns included; one row.
// mode: read
// scope: caller
// params: uids, readable, read_at
// returns: one
CYPHER 25
UNWIND $uids AS uid
// Without a label: while there are few receipts, the planner would start at all that have not expired.
MATCH (turn:Turn {uid: uid})-[:RECEIVED]->(receipt)
WHERE turn.scope_id IN $readable AND receipt.expires_at > $read_at
// part: included(receipt)
UNWIND range(0, size(receipt.included_uids) - 1) AS n
MATCH (seen:Memory|Goal|PendingAction|Question|Story|Summary {uid: receipt.included_uids[n]})
WITH *, {uid: seen.uid, section: receipt.included_sections[n], tokens: receipt.included_tokens[n],
         rank: receipt.included_ranks[n], score: receipt.included_scores[n], reason: receipt.included_reasons[n],
         via: receipt.included_via[n], parts: receipt.included_parts[n], passage: receipt.included_passages[n],
         path: receipt.included_paths[n], contradicts: receipt.included_contradicts[n]} AS item
WHERE seen.scope_id IN $readable
// end part
WITH uid, count(*) AS number
RETURN collect({uid: uid, number: number}) AS items
