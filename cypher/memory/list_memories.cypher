// A page of durable memories of some kinds, newest first, one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $readable AS scope_id
UNWIND $kinds AS kind
UNWIND $live AS live
CALL (scope_id, kind, live) {
  MATCH (m:Remembered)
  USING INDEX SEEK m:Remembered(scope_id, kind, live, uid)
  WHERE m.scope_id = scope_id AND m.kind = kind.name AND m.live = live AND m.uid < kind.before
    // part: memory_filter(m)
  RETURN m
  // All properties, although most are constant here: only then does the planner use the order of the index.
  ORDER BY m.scope_id DESC, m.kind DESC, m.live DESC, m.uid DESC
  LIMIT $limit
}
WITH m
// The part of an id after its kind sorts by time.
ORDER BY right(m.uid, 26) DESC
LIMIT $limit
RETURN collect(m {
  // part: memory_fields(m)
}) AS items
