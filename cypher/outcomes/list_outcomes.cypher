// A page of the readable outcomes, newest first; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $readable AS scope_id
UNWIND $successes AS success
CALL (scope_id, success) {
  MATCH (o:Outcome)
  USING INDEX SEEK o:Outcome(scope_id, success, uid)
  WHERE o.scope_id = scope_id AND o.success = success AND o.uid < $before_uid
  RETURN o
  // All properties, although some are constant here: only then does the planner use the order of the index.
  ORDER BY o.scope_id DESC, o.success DESC, o.uid DESC
  LIMIT $limit
}
WITH o
ORDER BY o.uid DESC
LIMIT $limit
RETURN collect(o {
  // part: outcome_fields(o)
}) AS items
