// Stores a receipt with what its context included, and its turn if it is new; one row with the ids of the turn and of its session.
// mode: write, returns: one, scope: organisation
CYPHER 25
// What was included is stored on the receipt. A relationship would lock each of the nodes until the commit, and
// popular memories are in every context; `jobs/link_included` creates the relationships afterwards.
WITH $turn AS row
// part: turn_by_name(row, turn)
CREATE (receipt:ContextReceipt)
SET receipt = $receipt
CREATE (turn)-[:RECEIVED]->(receipt)
RETURN turn.uid AS turn_uid, head(COLLECT { MATCH (turn)-[:IN_SESSION]->(s:Session) RETURN s.uid }) AS session_uid
