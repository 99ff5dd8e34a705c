// Stores the StateExport of a turn and the parts of its commit that failed, and says how it ended; one row with the number of turns.
// mode: write, returns: one, scope: caller
CYPHER 25
MATCH (turn:Turn {uid: $turn_uid})
WHERE turn.scope_id IN $writable
SET turn += $properties
CREATE (x:StateExport)
SET x = $export
CREATE (turn)-[:EXPORTED]->(x)
WITH turn
CALL (turn) {
  UNWIND $pending AS row
  CREATE (p:PendingCommit)
  SET p = row
  CREATE (p)-[:FAILED_IN]->(turn)
}
RETURN count(turn) AS finished
