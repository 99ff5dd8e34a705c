// The number of observations with a client key, of a turn or from a source; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $readable AS scope_id
CALL (scope_id) {
  MATCH (o:Observation)
  USING INDEX SEEK o:Observation(scope_id, client_key)
  WHERE o.scope_id = scope_id AND o.client_key = $by_client_key
    AND all(key IN $tag_keys WHERE key IN o.tag_keys)
    // part: observation_filter_with_slices(o)
  RETURN count(o) AS matching
  UNION ALL
  MATCH (o:Observation)
  USING INDEX SEEK o:Observation(scope_id, source_turn_id, uid)
  WHERE o.scope_id = scope_id AND o.source_turn_id = $by_turn_key AND o.uid < $before AND o.uid > $since_uid
    AND all(key IN $tag_keys WHERE key IN o.tag_keys)
    // part: observation_filter_with_slices(o)
  RETURN count(o) AS matching
  UNION ALL
  MATCH (o:Observation)
  USING INDEX SEEK o:Observation(scope_id, source_name, uid)
  WHERE o.scope_id = scope_id AND o.source_name = $by_source_name AND o.uid < $before AND o.uid > $since_uid
    AND all(key IN $tag_keys WHERE key IN o.tag_keys)
    // part: observation_filter_with_slices(o)
  RETURN count(o) AS matching
}
RETURN sum(matching) AS total
