// Stores a receipt and links its turn to every node that the context included; one row with the turn's id and the number of links.
// mode: write
// scope: organisation
// params: org_id, turn, receipt, included
// returns: one
CYPHER 25
MERGE (turn:Turn {scope_id: $turn.scope_id, key: $turn.key})
  ON CREATE SET turn.uid = $turn.uid, turn.org_id = $org_id, turn.name = $turn.name, turn.created_at = $turn.now,
                turn.by_uid = $turn.by_uid, turn.updated_at = $turn.now, turn.version = 1
CREATE (receipt:ContextReceipt)
SET receipt = $receipt
CREATE (turn)-[:RECEIVED]->(receipt)
WITH turn, receipt
CALL (turn, receipt) {
  UNWIND $included AS row
  MATCH (memory:Memory {uid: row.uid})
  WHERE memory.org_id = $org_id
  CREATE (turn)-[:SAW {receipt_uid: receipt.uid, section: row.section, rank: row.rank, tokens: row.tokens,
                       score: row.score, reason: row.reason}]->(memory)
  RETURN count(memory) AS memories
}
CALL (turn, receipt) {
  UNWIND $included AS row
  MATCH (goal:Goal {uid: row.uid})
  WHERE goal.org_id = $org_id
  CREATE (turn)-[:SAW {receipt_uid: receipt.uid, section: row.section, rank: row.rank, tokens: row.tokens,
                       score: row.score, reason: row.reason}]->(goal)
  RETURN count(goal) AS goals
}
RETURN turn.uid AS turn_uid, memories + goals AS linked
