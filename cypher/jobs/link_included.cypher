// Links turns to the memories and goals of a batch of receipts, oldest first; one row with the number of receipts.
// mode: write, returns: one, scope: system - the job serves every organisation
CYPHER 25
MATCH (receipt:ContextReceipt)
WHERE receipt.link_at <= $now
WITH receipt ORDER BY receipt.link_at LIMIT $batch
REMOVE receipt.link_at
WITH collect(receipt) AS receipts
CALL (receipts) {
  UNWIND receipts AS receipt
  MATCH (turn:Turn)-[:RECEIVED]->(receipt)
  UNWIND range(0, size(receipt.included_uids) - 1) AS n
  MATCH (seen:Memory|Goal|PendingAction|Question|Story|Summary {uid: receipt.included_uids[n]})
  WHERE seen.org_id = receipt.org_id
  // In the order of the ids, so that two of these never wait for each other.
  WITH turn, receipt, seen, n ORDER BY seen.uid
  CREATE (turn)-[saw:SAW {receipt_uid: receipt.uid}]->(seen)
  SET saw.section = receipt.included_sections[n], saw.rank = receipt.included_ranks[n],
      saw.tokens = receipt.included_tokens[n], saw.score = receipt.included_scores[n],
      saw.reason = receipt.included_reasons[n]
  RETURN count(*) AS linked
}
RETURN size(receipts) AS receipts, linked
