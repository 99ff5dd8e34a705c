// A page of the receipts of each of some turns, newest first, with what each included; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $pages AS page
CALL (page) {
  // Without a label: while there are few receipts, the planner would start at all that have not expired.
  MATCH (turn:Turn {uid: page.uid})-[:RECEIVED]->(receipt)
  WHERE turn.scope_id IN $readable AND receipt.expires_at > $read_at AND (page.after IS NULL OR receipt.uid < page.after[0])
  WITH turn, receipt
  ORDER BY receipt.uid DESC
  LIMIT $limit
  CALL (receipt) {
    // part: included(receipt)
    RETURN collect(item) AS included
  }
  RETURN collect({key: [receipt.uid], included: included, receipt: receipt {
    .uid, .budget, .used, .tokenizer, .created_at, .excluded, .excluded_counts, turn_id: coalesce(turn.former_key, turn.key), turn_uid: turn.uid,
    readable: COLLECT {
      MATCH (left_out:Memory|Goal|PendingAction|Question|Story|Summary) WHERE left_out.uid IN receipt.excluded_uids AND left_out.scope_id IN $readable
      RETURN left_out.uid
    }
  }}) AS found
}
WITH page, found WHERE size(found) > 0
RETURN collect({number: page.number, found: found}) AS items
