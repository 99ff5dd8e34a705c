// The newest receipt of a turn, or the one with the given id, and what it included; no row if there is none.
// mode: read
// scope: caller
// params: readable, turn_key, receipt_uid, home
// returns: optional
CYPHER 25
UNWIND $readable AS scope_id
MATCH (turn:Turn {scope_id: scope_id, key: $turn_key})-[:RECEIVED]->(receipt:ContextReceipt)
WHERE $receipt_uid IS NULL OR receipt.uid = $receipt_uid
WITH turn, receipt
ORDER BY turn.scope_id = $home DESC, receipt.uid DESC
LIMIT 1
CALL (turn, receipt) {
  MATCH (turn)-[saw:SAW]->(seen)
  WHERE saw.receipt_uid = receipt.uid AND seen.scope_id IN $readable
  WITH saw, seen ORDER BY saw.rank
  RETURN collect({uid: seen.uid, section: saw.section, tokens: saw.tokens, rank: saw.rank, score: saw.score,
                  reason: saw.reason}) AS included
}
RETURN receipt {.uid, .budget, .used, .tokenizer, .created_at, .excluded, .excluded_counts, turn_id: turn.key, turn_uid: turn.uid} AS receipt,
       included
