// Deletes a batch of StateExports from before a time, and one of parts of commits that were done; one row with the number deleted.
// mode: write, returns: one, scope: system - retention serves every organisation
CYPHER 25
CALL () {
  MATCH (x:StateExport)
  USING INDEX SEEK x:StateExport(uid)
  WHERE x.uid < $exports_before
  WITH x
  ORDER BY x.uid
  LIMIT $batch
  DETACH DELETE x
  RETURN count(*) AS exports
}
CALL () {
  MATCH (p:PendingCommit)
  USING INDEX SEEK p:PendingCommit(uid)
  WHERE p.uid < $parts_before AND p.status = 'committed'
  WITH p
  ORDER BY p.uid
  LIMIT $batch
  DETACH DELETE p
  RETURN count(*) AS parts
}
RETURN exports + parts AS deleted
