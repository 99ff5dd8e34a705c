// A page of turns by status, newest first; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $readable AS scope_id
UNWIND $statuses AS status
CALL (scope_id, status) {
  MATCH (turn:Turn)
  USING INDEX SEEK turn:Turn(scope_id, status, uid)
  WHERE turn.scope_id = scope_id AND turn.status = status AND turn.uid < $before_uid
  RETURN turn
  // All properties, although some are constant here: only then does the planner use the order of the index.
  ORDER BY turn.scope_id DESC, turn.status DESC, turn.uid DESC
  LIMIT $limit
}
WITH turn
ORDER BY turn.uid DESC
LIMIT $limit
RETURN collect(turn {
  // part: turn_fields(turn)
}) AS items
