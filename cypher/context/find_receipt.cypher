// The newest receipt of a turn, or the one with the given id, and what it included; no row if there is none.
// mode: read, returns: optional, scope: caller
CYPHER 25
CALL () {
  UNWIND $readable AS scope_id
  MATCH (turn:Turn {scope_id: scope_id, key: $turn_key})
  RETURN turn
  UNION
  MATCH (turn:Turn {uid: $turn_key})
  WHERE turn.scope_id IN $readable
  RETURN turn
}
MATCH (turn)-[:RECEIVED]->(receipt:ContextReceipt)
// A plain comparison would let the planner begin with the receipts of everybody that are not over.
WHERE coalesce(receipt.expires_at > $now, false) AND receipt.org_id = $org_id AND ($receipt_uid IS NULL OR receipt.uid = $receipt_uid)
WITH turn, receipt
ORDER BY turn.scope_id = $home DESC, receipt.uid DESC
LIMIT 1
CALL (receipt) {
  // part: included(receipt)
  RETURN collect(item) AS included
}
RETURN receipt {
    .uid, .budget, .used, .tokenizer, .created_at, .excluded, .excluded_counts, turn_id: coalesce(turn.former_key, turn.key), turn_uid: turn.uid,
    readable: COLLECT {
      MATCH (left_out:Memory|Goal|PendingAction|Question|Story|Summary) WHERE left_out.uid IN receipt.excluded_uids AND left_out.scope_id IN $readable
      RETURN left_out.uid
    }
  } AS receipt,
  included
