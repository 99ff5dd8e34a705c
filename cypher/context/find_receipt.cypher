// The newest receipt of a turn, or the one with the given id, and what it included; no row if there is none.
// mode: read
// scope: caller
// params: readable, turn_key, receipt_uid, home, now
// returns: optional
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
WHERE coalesce(receipt.expires_at > $now, false) AND ($receipt_uid IS NULL OR receipt.uid = $receipt_uid)
WITH turn, receipt
ORDER BY turn.scope_id = $home DESC, receipt.uid DESC
LIMIT 1
CALL (receipt) {
  // part: included(receipt)
  UNWIND range(0, size(receipt.included_uids) - 1) AS n
  MATCH (seen:Memory|Goal|PendingAction|Question|Story|Summary {uid: receipt.included_uids[n]})
  WITH *, {uid: seen.uid, section: receipt.included_sections[n], tokens: receipt.included_tokens[n],
           rank: receipt.included_ranks[n], score: receipt.included_scores[n], reason: receipt.included_reasons[n],
           via: receipt.included_via[n], parts: receipt.included_parts[n], passage: receipt.included_passages[n],
           path: receipt.included_paths[n], contradicts: receipt.included_contradicts[n]} AS item
  WHERE seen.scope_id IN $readable
  // end part
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
