// The ids of resolved observations of a space, and of active ones whose lifetime is over, oldest first; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
CALL () {
  MATCH (o:Observation)
  USING INDEX SEEK o:Observation(scope_id, status, uid)
  WHERE o.scope_id = $scope_id AND $scope_id IN $writable AND o.status = $resolved AND o.uid IS NOT NULL
  WITH o
  ORDER BY o.scope_id, o.status, o.uid
  LIMIT $most
  RETURN collect(o.uid) AS settled
}
CALL () {
  MATCH (o:Observation)
  USING INDEX SEEK o:Observation(scope_id, status, expires_at)
  WHERE o.scope_id = $scope_id AND $scope_id IN $writable AND o.status = $active AND o.expires_at <= $now
  WITH o
  ORDER BY o.scope_id, o.status, o.expires_at
  LIMIT $most
  RETURN collect(o.uid) AS faded
}
RETURN settled + faded AS uids
