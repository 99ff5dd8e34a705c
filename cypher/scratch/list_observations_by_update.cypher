// A page of observations, last changed first; one row. Each space and status is read in the order of the index.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $readable AS scope_id
UNWIND [slice IN $slices | slice.status] AS status
CALL (scope_id, status) {
  // Two walks in the index's order, as in goals/list_goals: the rest of the cursor's own time, then all earlier times.
  MATCH (o:Observation)
  USING INDEX SEEK o:Observation(scope_id, status, updated_at, uid)
  WHERE o.scope_id = scope_id AND o.status = status AND o.updated_at = $before_at AND o.uid < $before
    // part: observation_filter_whole(o)
  RETURN o
  ORDER BY o.scope_id DESC, o.status DESC, o.updated_at DESC, o.uid DESC
  LIMIT $limit
  UNION ALL
  MATCH (o:Observation)
  USING INDEX SEEK o:Observation(scope_id, status, updated_at, uid)
  WHERE o.scope_id = scope_id AND o.status = status AND o.updated_at < $before_at AND o.uid IS NOT NULL
    // part: observation_filter_whole(o)
  RETURN o
  ORDER BY o.scope_id DESC, o.status DESC, o.updated_at DESC, o.uid DESC
  LIMIT $limit
}
WITH o
ORDER BY o.updated_at DESC, o.uid DESC
LIMIT $limit
RETURN collect(o {
  // part: observation_fields(o)
}) AS items
