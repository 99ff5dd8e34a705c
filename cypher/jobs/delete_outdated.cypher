// Deletes a batch of idempotency requests, of entries of the access log, and of context receipts with what their turns saw, after their retention; one row with the number deleted.
// mode: write, returns: one, scope: system - retention serves every organisation
CYPHER 25
CALL () {
  MATCH (r:Request)
  WHERE r.expires_at <= $now
  WITH r LIMIT $batch
  DETACH DELETE r
  RETURN count(*) AS requests
}
CALL () {
  MATCH (a:AccessLog)
  WHERE a.expires_at <= $now
  WITH a LIMIT $batch
  DELETE a
  RETURN count(*) AS accesses
}
CALL () {
  // What the turn saw goes first, so that a receipt is never without a part of it for good.
  MATCH (r:ContextReceipt)
  WHERE r.expires_at <= $now
  WITH r LIMIT $batch
  MATCH (r)<-[:RECEIVED]-(:Turn)-[saw:SAW]->()
  WHERE saw.receipt_uid = r.uid
  WITH saw LIMIT $batch
  DELETE saw
  RETURN count(*) AS seen
}
CALL () {
  MATCH (r:ContextReceipt)
  WHERE r.expires_at <= $now
    AND NOT EXISTS { MATCH (r)<-[:RECEIVED]-(:Turn)-[saw:SAW]->() WHERE saw.receipt_uid = r.uid }
  WITH r LIMIT $batch
  DETACH DELETE r
  RETURN count(*) AS receipts
}
RETURN requests + accesses + seen + receipts AS deleted
