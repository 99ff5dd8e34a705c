// A page of observations with a client key, of a turn or from a source, newest first; one row.
// mode: read
// scope: caller
// params: readable, slices, tag_keys, before, since_uid, without, limit, now, types, min_confidence, user_id, entity_uids, any_tag_keys, client_key, turn_key, source_kind, source_name, since, until, by_client_key, by_turn_key, by_source_name
// returns: one
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
    AND any(slice IN $slices WHERE o.status = slice.status
            AND (slice.alive IS NULL OR (o.expires_at > $now) = slice.alive))
    AND ($types IS NULL OR o.type IN $types)
    AND ($min_confidence IS NULL OR o.confidence >= $min_confidence)
    AND ($user_id IS NULL OR o.user_id = $user_id)
    AND all(uid IN $entity_uids WHERE uid IN o.entity_uids)
    AND (size($any_tag_keys) = 0 OR any(key IN o.tag_keys WHERE key IN $any_tag_keys))
    AND ($client_key IS NULL OR o.client_key = $client_key)
    AND ($turn_key IS NULL OR o.source_turn_id = $turn_key)
    AND ($source_kind IS NULL OR o.source_kind = $source_kind)
    AND ($source_name IS NULL OR o.source_name = $source_name)
    AND ($since IS NULL OR o.created_at >= $since)
    AND ($until IS NULL OR o.created_at < $until)
    // end part
  RETURN o
  UNION ALL
  MATCH (o:Observation)
  USING INDEX SEEK o:Observation(scope_id, source_turn_id, uid)
  WHERE o.scope_id = scope_id AND o.source_turn_id = $by_turn_key AND o.uid < $before AND o.uid > $since_uid
    AND NOT o.uid IN $without
    AND all(key IN $tag_keys WHERE key IN o.tag_keys)
    // part: observation_filter_with_slices(o)
    AND any(slice IN $slices WHERE o.status = slice.status
            AND (slice.alive IS NULL OR (o.expires_at > $now) = slice.alive))
    AND ($types IS NULL OR o.type IN $types)
    AND ($min_confidence IS NULL OR o.confidence >= $min_confidence)
    AND ($user_id IS NULL OR o.user_id = $user_id)
    AND all(uid IN $entity_uids WHERE uid IN o.entity_uids)
    AND (size($any_tag_keys) = 0 OR any(key IN o.tag_keys WHERE key IN $any_tag_keys))
    AND ($client_key IS NULL OR o.client_key = $client_key)
    AND ($turn_key IS NULL OR o.source_turn_id = $turn_key)
    AND ($source_kind IS NULL OR o.source_kind = $source_kind)
    AND ($source_name IS NULL OR o.source_name = $source_name)
    AND ($since IS NULL OR o.created_at >= $since)
    AND ($until IS NULL OR o.created_at < $until)
    // end part
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
    AND any(slice IN $slices WHERE o.status = slice.status
            AND (slice.alive IS NULL OR (o.expires_at > $now) = slice.alive))
    AND ($types IS NULL OR o.type IN $types)
    AND ($min_confidence IS NULL OR o.confidence >= $min_confidence)
    AND ($user_id IS NULL OR o.user_id = $user_id)
    AND all(uid IN $entity_uids WHERE uid IN o.entity_uids)
    AND (size($any_tag_keys) = 0 OR any(key IN o.tag_keys WHERE key IN $any_tag_keys))
    AND ($client_key IS NULL OR o.client_key = $client_key)
    AND ($turn_key IS NULL OR o.source_turn_id = $turn_key)
    AND ($source_kind IS NULL OR o.source_kind = $source_kind)
    AND ($source_name IS NULL OR o.source_name = $source_name)
    AND ($since IS NULL OR o.created_at >= $since)
    AND ($until IS NULL OR o.created_at < $until)
    // end part
  RETURN o
  ORDER BY o.scope_id DESC, o.source_name DESC, o.uid DESC
  LIMIT $limit
}
WITH o
ORDER BY o.uid DESC
LIMIT $limit
RETURN collect(o {
  // part: observation_fields(o)
  .uid, .scope_id, .type, .content, .confidence, .tags, .status, .source_kind, .source_name, .source_turn_id,
  .source_timestamp, .context_goal_id, .goal_key, .user_id, .ttl_minutes, .metadata, .client_key,
  created_at: toString(o.created_at), updated_at: toString(o.updated_at), expires_at: toString(o.expires_at),
  .archived_at, .pinned, .by_uid, .version, .entity_names, .entity_kinds
  // end part
}) AS items
