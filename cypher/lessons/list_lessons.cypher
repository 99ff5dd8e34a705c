// A page of lessons, newest first; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $readable AS scope_id
UNWIND $live AS live
CALL (scope_id, live) {
  MATCH (m:Remembered)
  USING INDEX SEEK m:Remembered(scope_id, kind, live, uid)
  WHERE m.scope_id = scope_id AND m.kind = 'lesson' AND m.live = live AND m.uid < $before
    // part: lesson_filter(m)
  RETURN m
  // All properties, although most are constant here: only then does the planner use the order of the index.
  ORDER BY m.scope_id DESC, m.kind DESC, m.live DESC, m.uid DESC
  LIMIT $limit
}
WITH m
ORDER BY m.uid DESC
LIMIT $limit
RETURN collect(m {
  // part: lesson_fields(m)
}) AS items
