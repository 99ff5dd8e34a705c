// What a receipt says its context included, as far as it still exists and is readable: `seen`, `n`, its place in the lists, and `item`, what the receipt says of it.
// variables: receipt
UNWIND range(0, size(receipt.included_uids) - 1) AS n
MATCH (seen:Memory|Goal|PendingAction|Question|Story|Summary {uid: receipt.included_uids[n]})
WITH *, {uid: seen.uid, section: receipt.included_sections[n], tokens: receipt.included_tokens[n],
         rank: receipt.included_ranks[n], score: receipt.included_scores[n], reason: receipt.included_reasons[n],
         via: receipt.included_via[n], parts: receipt.included_parts[n], passage: receipt.included_passages[n],
         path: receipt.included_paths[n], contradicts: receipt.included_contradicts[n]} AS item
WHERE seen.scope_id IN $readable
