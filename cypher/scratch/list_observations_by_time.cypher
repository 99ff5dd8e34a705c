// A page of observations, newest first; one row. Each space and status is read in the order of the index.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $readable AS scope_id
UNWIND $slices AS slice
CALL (scope_id, slice) {
  MATCH (o:Observation)
  USING INDEX SEEK o:Observation(scope_id, status, uid)
  WHERE o.scope_id = scope_id AND o.status = slice.status AND o.uid < $before AND o.uid > $since_uid
    AND NOT o.uid IN $without
    AND (slice.alive IS NULL OR (o.expires_at > $now) = slice.alive)
    // part: observation_filter(o)
  RETURN o
  // All three properties, although two are constant here: only then does the planner use the order of the index.
  ORDER BY o.scope_id DESC, o.status DESC, o.uid DESC
  LIMIT $limit
}
WITH o
ORDER BY o.uid DESC
LIMIT $limit
RETURN collect(o {
  // part: observation_fields(o)
}) AS items
