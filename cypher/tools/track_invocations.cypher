// Stores invocations of tools in a turn, long results in parts, each linked to its turn, its goal and its observations; one row with the number stored.
// mode: write, returns: one, scope: caller
CYPHER 25
MATCH (turn:Turn {uid: $turn_uid})
WHERE turn.scope_id IN $writable
UNWIND $rows AS row
CREATE (inv:ToolInvocation)
SET inv = row.properties
CREATE (turn)-[:INVOKED]->(inv)
WITH inv, row
CALL (inv, row) {
  UNWIND row.parts AS part
  CREATE (p:ResultPart)
  SET p = part
  CREATE (p)-[:PART_OF]->(inv)
}
CALL (inv) {
  // The goal was found readable in this transaction. A relationship locks neither of its ends for those who read or change them.
  MATCH (g:Goal {uid: inv.goal_uid})
  CREATE (inv)-[:ADVANCES]->(g)
}
CALL (inv, row) {
  // They were stored, or found under their client keys, in this transaction.
  UNWIND row.observations AS uid
  MATCH (o:Observation&Memory {uid: uid})
  WHERE o.scope_id IN $writable
  CREATE (inv)-[:RESULTED_IN]->(o)
}
RETURN count(inv) AS stored
