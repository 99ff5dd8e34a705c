// The number of lessons that match a filter; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $readable AS scope_id
UNWIND $live AS live
MATCH (m:Remembered)
USING INDEX SEEK m:Remembered(scope_id, kind, live, uid)
WHERE m.scope_id = scope_id AND m.kind = 'lesson' AND m.live = live AND m.uid IS NOT NULL
  // part: lesson_filter(m)
RETURN count(m) AS total
