// The ids of a batch of open actions of some types that are due and have not escalated since, one row.
// mode: read
// scope: system - the job serves every organisation
// params: types, batch
// returns: one
CYPHER 25
UNWIND $types AS row
CALL (row) {
  MATCH (a:PendingAction)
  USING INDEX SEEK a:PendingAction(type, escalated, overdue_from)
  WHERE a.type = row.type AND a.escalated = false AND a.overdue_from <= row.before
    // A row of an organisation's own type is for it alone, and one of the files' for all others.
    AND (row.org_id IS NULL OR a.org_id = row.org_id) AND NOT a.org_id IN row.without
  RETURN a
  // All three properties, although two are constant here: only then the planner sees that this is the index's order.
  ORDER BY a.type, a.escalated, a.overdue_from
  LIMIT $batch
}
WITH a LIMIT $batch
RETURN collect(a.uid) AS uids
