// The number of durable memories of some kinds; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $readable AS scope_id
UNWIND $kinds AS kind
UNWIND $live AS live
CALL (scope_id, kind, live) {
  MATCH (m:Remembered)
  USING INDEX SEEK m:Remembered(scope_id, kind, live, uid)
  WHERE m.scope_id = scope_id AND m.kind = kind.name AND m.live = live AND m.uid IS NOT NULL
    // part: memory_filter(m)
  RETURN count(m) AS number
}
RETURN sum(number) AS total
