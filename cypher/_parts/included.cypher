// What a receipt says its context included, as far as it still exists and is readable: `seen`, and `n`, its place in the lists.
// variables: receipt
UNWIND range(0, size(receipt.included_uids) - 1) AS n
MATCH (seen:Memory|Goal|PendingAction|Question|Story {uid: receipt.included_uids[n]})
WHERE seen.scope_id IN $readable
