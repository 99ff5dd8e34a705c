// Stores a receipt with what its context included, and its turn if it is new; one row with the ids of the turn and of its session.
// mode: write
// scope: organisation
// params: org_id, turn, receipt
// returns: one
CYPHER 25
// What was included is stored on the receipt. A relationship would lock each of the nodes until the commit, and
// popular memories are in every context; `jobs/link_included` creates the relationships afterwards.
WITH $turn AS row
// part: turn_by_name(row, turn)
OPTIONAL MATCH (aged:Turn {uid: row.key})
WHERE aged.scope_id = row.scope_id AND aged.key <> aged.uid AND aged.created_at <= row.free_before
SET aged.former_key = aged.key, aged.key = aged.uid
WITH *
OPTIONAL MATCH (former:Turn {scope_id: row.scope_id, key: row.key})
WHERE former.created_at <= row.free_before AND former.uid <> row.key
SET former.former_key = row.key, former.key = former.uid
MERGE (turn:Turn {scope_id: row.scope_id, key: row.key})
  ON CREATE SET turn.uid = row.uid, turn.org_id = $org_id, turn.name = row.name, turn.created_at = row.now,
                turn.by_uid = row.by_uid, turn.updated_at = row.now, turn.version = 1, turn.status = 'open',
                turn.follows_uid = former.uid
WITH *
CALL (row, turn) {
  WITH row, turn
  WHERE turn.uid = row.uid
  // Inside a call of its own, so that the planner walks the index backwards instead of sorting all turns of the space.
  CALL (row) {
    MATCH (last:Turn)
    USING INDEX SEEK last:Turn(scope_id, uid)
    WHERE last.scope_id = row.scope_id AND last.uid < row.uid
    RETURN last
    ORDER BY last.scope_id DESC, last.uid DESC
    LIMIT 1
  }
  CREATE (last)-[:NEXT]->(turn)
}
// end part
CREATE (receipt:ContextReceipt)
SET receipt = $receipt
CREATE (turn)-[:RECEIVED]->(receipt)
RETURN turn.uid AS turn_uid, head(COLLECT { MATCH (turn)-[:IN_SESSION]->(s:Session) RETURN s.uid }) AS session_uid
