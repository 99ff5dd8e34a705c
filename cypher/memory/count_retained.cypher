// How many memories of a space are kept for a time, and not for ever, at most a number; one row.
// mode: read
// scope: caller
// params: scope_id, readable, kind, now, most
// returns: one
CYPHER 25
CALL () {
  MATCH (m:Remembered)
  USING INDEX SEEK m:Remembered(scope_id, kind, live, uid)
  WHERE m.scope_id = $scope_id AND $scope_id IN $readable AND m.kind = $kind AND m.live = true AND m.uid IS NOT NULL
    AND m.retained_until > $now
  RETURN m
  LIMIT $most
}
RETURN count(m) AS total
