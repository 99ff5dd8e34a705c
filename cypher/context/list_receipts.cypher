// A page of the receipts of each of some turns, newest first, with what each included; one row.
// mode: read
// scope: caller
// params: pages, limit, readable
// returns: one
CYPHER 25
UNWIND $pages AS page
CALL (page) {
  MATCH (turn:Turn {uid: page.uid})-[:RECEIVED]->(receipt:ContextReceipt)
  WHERE turn.scope_id IN $readable AND (page.after IS NULL OR receipt.uid < page.after[0])
  WITH turn, receipt
  ORDER BY receipt.uid DESC
  LIMIT $limit
  CALL (turn, receipt) {
    MATCH (turn)-[saw:SAW]->(seen)
    WHERE saw.receipt_uid = receipt.uid AND seen.scope_id IN $readable
    WITH saw, seen ORDER BY saw.rank
    RETURN collect({uid: seen.uid, section: saw.section, tokens: saw.tokens, rank: saw.rank, score: saw.score,
                    reason: saw.reason}) AS included
  }
  RETURN collect({key: [receipt.uid], included: included, receipt: receipt {
    .uid, .budget, .used, .tokenizer, .created_at, .excluded, .excluded_counts, turn_id: turn.key, turn_uid: turn.uid
  }}) AS found
}
WITH page, found WHERE size(found) > 0
RETURN collect({number: page.number, found: found}) AS items
