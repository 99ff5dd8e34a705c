// Deletes a batch of idempotency requests and context receipts after their retention; one row with the number deleted.
// mode: write
// scope: system - retention serves every organisation
// params: now, batch
// returns: one
CYPHER 25
CALL () {
  MATCH (r:Request)
  WHERE r.expires_at <= $now
  WITH r LIMIT $batch
  DETACH DELETE r
  RETURN count(*) AS requests
}
CALL () {
  MATCH (r:ContextReceipt)
  WHERE r.expires_at <= $now
  WITH r LIMIT $batch
  DETACH DELETE r
  RETURN count(*) AS receipts
}
RETURN requests + receipts AS deleted
