// Counts the readable actions of some types: those created since a time, by type and status, and all that are overdue; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
CALL () {
  MATCH (a:PendingAction)
  USING INDEX SEEK a:PendingAction(scope_id, type, created_at, status, failed)
  WHERE a.scope_id IN $readable AND a.type IN $types AND a.created_at >= $created_since
    // The index is used only if all of its properties have a condition; every action has both.
    AND a.status IS NOT NULL AND a.failed IS NOT NULL
  WITH a.type AS type, a.status AS status, a.failed AS failed, count(*) AS number
  RETURN collect({type: type, status: status, failed: failed, number: number}) AS made
}
CALL () {
  // Overdue actions are few beside all others, and the index by due time has them together.
  UNWIND ['agent', 'user'] AS owner
  MATCH (a:PendingAction)
  USING INDEX SEEK a:PendingAction(scope_id, open, owner, due_key)
  WHERE a.scope_id IN $readable AND a.open = true AND a.owner = owner AND a.due_key < $overdue_key
    AND a.type IN $types
  WITH a.type AS type, count(*) AS number
  RETURN collect({type: type, number: number}) AS overdue
}
RETURN made, overdue
