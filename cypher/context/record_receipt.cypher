// Stores a receipt with what its context included, and its turn if it is new; one row with the turn's id.
// mode: write
// scope: organisation
// params: org_id, turn, receipt
// returns: one
CYPHER 25
// What was included is stored on the receipt. A relationship would lock each of the nodes until the commit, and
// popular memories are in every context; `jobs/link_included` creates the relationships afterwards.
MERGE (turn:Turn {scope_id: $turn.scope_id, key: $turn.key})
  ON CREATE SET turn.uid = $turn.uid, turn.org_id = $org_id, turn.name = $turn.name, turn.created_at = $turn.now,
                turn.by_uid = $turn.by_uid, turn.updated_at = $turn.now, turn.version = 1
CREATE (receipt:ContextReceipt)
SET receipt = $receipt
CREATE (turn)-[:RECEIVED]->(receipt)
RETURN turn.uid AS turn_uid
