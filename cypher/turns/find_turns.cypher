// The readable turns among some ids, one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $uids AS uid
MATCH (turn:Turn {uid: uid})
WHERE turn.scope_id IN $readable
RETURN collect(turn {
  // part: turn_fields(turn)
}) AS items
