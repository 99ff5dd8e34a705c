// Keeps what could not be stored in a turn, to be tried again; one row with the number kept.
// mode: write, returns: one, scope: caller
CYPHER 25
MATCH (turn:Turn {uid: $turn_uid})
WHERE turn.scope_id IN $writable
CALL (turn) {
  UNWIND $pending AS row
  CREATE (p:PendingCommit)
  SET p = row
  CREATE (p)-[:FAILED_IN]->(turn)
}
RETURN count(*) AS kept
