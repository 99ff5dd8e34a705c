// The calls of a turn that no outcome has yet, in call order, with the turn; one row, whose turn is null if there is no such turn.
// mode: read, returns: one, scope: caller
CYPHER 25
CALL () {
  MATCH (turn:Turn {scope_id: $home, key: $turn_key})
  RETURN turn
  UNION
  MATCH (turn:Turn {uid: $turn_key})
  WHERE turn.scope_id = $home
  RETURN turn
}
WITH collect(turn)[0] AS turn
CALL (turn) {
  MATCH (turn)-[:INVOKED]->(inv:ToolInvocation)
  WHERE inv.scope_id IN $readable AND inv.uid >= $oldest AND inv.outcome_uid IS NULL
  WITH inv
  ORDER BY inv.uid
  LIMIT $most
  RETURN collect(inv {
    // part: invocation_fields(inv)
  }) AS items
}
RETURN turn.uid AS turn_uid, items
