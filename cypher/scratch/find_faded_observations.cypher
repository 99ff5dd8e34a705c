// The ids of a batch of observations that have expired and are still in the active set; one row.
// mode: read, returns: one, scope: system - expiry serves every organisation
CYPHER 25
MATCH (o:Observation)
USING INDEX SEEK o:Observation(status, expires_at)
WHERE o.status = 'active' AND o.expires_at <= $now
WITH o LIMIT $batch
RETURN collect(o.uid) AS uids
