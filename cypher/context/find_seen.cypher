// The ids of what the contexts of a turn of the caller's included, as far as their receipts are kept; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
// Without a label: while there are few receipts, the planner would start at all that have not expired.
MATCH (turn:Turn {scope_id: $home, key: $key})-[:RECEIVED]->(receipt)
WHERE turn.scope_id IN $readable AND receipt.org_id = $org_id AND receipt.expires_at > $now
UNWIND receipt.included_uids AS uid
RETURN collect(DISTINCT uid) AS uids
