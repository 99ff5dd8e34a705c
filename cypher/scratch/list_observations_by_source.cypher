// A page of observations with a client key, of a turn or from a source, newest first; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $readable AS scope_id
CALL (scope_id) {
  // One of the three finds something: the other two keys are null. A client key is unique in a space.
  MATCH (o:Observation)
  USING INDEX SEEK o:Observation(scope_id, client_key)
  WHERE o.scope_id = scope_id AND o.client_key = $by_client_key AND o.uid < $before
    AND NOT o.uid IN $without
    AND all(key IN $tag_keys WHERE key IN o.tag_keys)
    // part: observation_filter_with_slices(o)
  RETURN o
  UNION ALL
  MATCH (o:Observation)
  USING INDEX SEEK o:Observation(scope_id, source_turn_id, uid)
  WHERE o.scope_id = scope_id AND o.source_turn_id = $by_turn_key AND o.uid < $before AND o.uid > $since_uid
    AND NOT o.uid IN $without
    AND all(key IN $tag_keys WHERE key IN o.tag_keys)
    // part: observation_filter_with_slices(o)
  RETURN o
  // All three properties, although two are constant here: only then does the planner use the order of the index.
  ORDER BY o.scope_id DESC, o.source_turn_id DESC, o.uid DESC
  LIMIT $limit
  UNION ALL
  MATCH (o:Observation)
  USING INDEX SEEK o:Observation(scope_id, source_name, uid)
  WHERE o.scope_id = scope_id AND o.source_name = $by_source_name AND o.uid < $before AND o.uid > $since_uid
    AND NOT o.uid IN $without
    AND all(key IN $tag_keys WHERE key IN o.tag_keys)
    // part: observation_filter_with_slices(o)
  RETURN o
  ORDER BY o.scope_id DESC, o.source_name DESC, o.uid DESC
  LIMIT $limit
}
WITH o
ORDER BY o.uid DESC
LIMIT $limit
RETURN collect(o {
  // part: observation_fields(o)
}) AS items
