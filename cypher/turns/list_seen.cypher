// A page of what the contexts of each of some turns included: the newest context first, in the order of its text; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $pages AS page
CALL (page) {
  // Without a label: while there are few receipts, the planner would start at all that have not expired.
  MATCH (turn:Turn {uid: page.uid})-[:RECEIVED]->(receipt)
  WHERE turn.scope_id IN $readable AND receipt.expires_at > $read_at AND (page.after IS NULL OR receipt.uid <= page.after[0])
  // part: included(receipt)
    AND (page.after IS NULL OR receipt.uid < page.after[0] OR item.rank > page.after[1])
  WITH receipt, n, item
  ORDER BY receipt.uid DESC, n
  LIMIT $limit
  RETURN collect(item {.*, key: [receipt.uid, item.rank]}) AS found
}
WITH page, found WHERE size(found) > 0
RETURN collect({number: page.number, found: found}) AS items
