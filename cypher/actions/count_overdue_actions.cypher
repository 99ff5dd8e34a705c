// Counts the overdue open actions of each of some types; one row.
// mode: read, returns: one, scope: system - it is what all organisations have together
CYPHER 25
UNWIND $types AS type
CALL (type) {
  UNWIND [true, false] AS escalated
  MATCH (a:PendingAction)
  USING INDEX SEEK a:PendingAction(type, escalated, overdue_from)
  WHERE a.type = type AND a.escalated = escalated AND a.overdue_from <= $now
  RETURN count(a) AS overdue
}
RETURN collect({type: type, overdue: overdue}) AS items
