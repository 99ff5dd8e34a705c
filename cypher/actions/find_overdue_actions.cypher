// The ids of a batch of open actions of some types that are due and have not escalated since; one row.
// mode: read, returns: one, scope: system - the job serves every organisation
CYPHER 25
UNWIND $types AS row
CALL (row) {
  MATCH (a:PendingAction)
  USING INDEX SEEK a:PendingAction(type, escalated, overdue_from)
  WHERE a.type = row.type AND a.escalated = false AND a.overdue_from <= row.before
    // A row for an organisation's own type applies to that organisation, a row for a file's type to all others.
    AND (row.org_id IS NULL OR a.org_id = row.org_id) AND NOT a.org_id IN row.without
  RETURN a
  // ORDER BY names all three properties, although two are constant here: otherwise the planner does not see that the index has this order.
  ORDER BY a.type, a.escalated, a.overdue_from
  LIMIT $batch
}
WITH a LIMIT $batch
RETURN collect(a.uid) AS uids
