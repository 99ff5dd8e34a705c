// The number of observations that match; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $readable AS scope_id
UNWIND $slices AS slice
CALL (scope_id, slice) {
  MATCH (o:Observation)
  USING INDEX SEEK o:Observation(scope_id, status, uid)
  WHERE o.scope_id = scope_id AND o.status = slice.status AND o.uid < $before AND o.uid > $since_uid
    AND (slice.alive IS NULL OR (o.expires_at > $now) = slice.alive)
    // part: observation_filter(o)
  RETURN count(o) AS matching
}
RETURN sum(matching) AS total
