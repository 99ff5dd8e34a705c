// The ids of a batch of observations in some spaces that have expired and are still in the active set; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $writable AS scope_id
CALL (scope_id) {
  MATCH (o:Observation)
  USING INDEX SEEK o:Observation(scope_id, status, expires_at)
  WHERE o.scope_id = scope_id AND o.status = 'active' AND o.expires_at <= $now
  RETURN o
  LIMIT $batch
}
WITH o LIMIT $batch
RETURN collect(o.uid) AS uids
