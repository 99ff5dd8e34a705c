// The number of turns by status; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $readable AS scope_id
UNWIND $statuses AS status
MATCH (turn:Turn)
USING INDEX SEEK turn:Turn(scope_id, status, uid)
WHERE turn.scope_id = scope_id AND turn.status = status AND turn.uid IS NOT NULL
RETURN count(turn) AS total
