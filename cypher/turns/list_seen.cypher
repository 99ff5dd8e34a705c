// A page of what the contexts of each of some turns included: the newest context first, in the order of its text; one row.
// mode: read
// scope: caller
// params: pages, limit, readable, read_at
// returns: one
CYPHER 25
UNWIND $pages AS page
CALL (page) {
  // Without a label: while there are few receipts, the planner would start at all that have not expired.
  MATCH (turn:Turn {uid: page.uid})-[:RECEIVED]->(receipt)
  WHERE turn.scope_id IN $readable AND receipt.expires_at > $read_at AND (page.after IS NULL OR receipt.uid <= page.after[0])
  // part: included(receipt)
  UNWIND range(0, size(receipt.included_uids) - 1) AS n
  MATCH (seen:Memory|Goal|PendingAction|Question|Story|Summary {uid: receipt.included_uids[n]})
  WITH *, {uid: seen.uid, section: receipt.included_sections[n], tokens: receipt.included_tokens[n],
           rank: receipt.included_ranks[n], score: receipt.included_scores[n], reason: receipt.included_reasons[n],
           via: receipt.included_via[n], parts: receipt.included_parts[n], passage: receipt.included_passages[n],
           path: receipt.included_paths[n], contradicts: receipt.included_contradicts[n]} AS item
  WHERE seen.scope_id IN $readable
  // end part
    AND (page.after IS NULL OR receipt.uid < page.after[0] OR item.rank > page.after[1])
  WITH receipt, n, item
  ORDER BY receipt.uid DESC, n
  LIMIT $limit
  RETURN collect(item {.*, key: [receipt.uid, item.rank]}) AS found
}
WITH page, found WHERE size(found) > 0
RETURN collect({number: page.number, found: found}) AS items
