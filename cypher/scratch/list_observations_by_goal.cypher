// A page of observations that are evidence of a goal or name its id or key, newest first; one row.
// mode: read
// scope: caller
// params: readable, goal_id, goal_key, slices, tag_keys, before, since_uid, without, limit, now, types, min_confidence, user_id, entity_uids, any_tag_keys, client_key, turn_key, source_kind, source_name, since, until
// returns: one
CYPHER 25
// Each branch reads its index from the newest observation until the page is full, so that a key of thousands of
// observations costs no more than a page. Each branch has all conditions: a limit before them would lose matches.
CALL () {
  MATCH (g:Goal {uid: $goal_id})<-[evidence:EVIDENCES]-(o:Observation)
  WHERE g.scope_id IN $readable AND evidence.until IS NULL AND o.scope_id IN $readable AND o.uid < $before
    AND NOT o.uid IN $without
    // If both an id and a key are given, both conditions apply.
    AND ($goal_key IS NULL OR o.goal_key = $goal_key)
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
  ORDER BY o.uid DESC
  LIMIT $limit
  UNION
  UNWIND $readable AS scope_id
  CALL (scope_id) {
    MATCH (o:Observation)
    USING INDEX SEEK o:Observation(scope_id, context_goal_id, uid)
    WHERE o.scope_id = scope_id AND o.context_goal_id = $goal_id AND o.uid < $before AND o.uid > $since_uid
      AND NOT o.uid IN $without
      AND ($goal_key IS NULL OR o.goal_key = $goal_key)
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
    ORDER BY o.scope_id DESC, o.context_goal_id DESC, o.uid DESC
    LIMIT $limit
  }
  RETURN o
  UNION
  // Only without an id: with an id, the two branches above find all matches.
  UNWIND CASE WHEN $goal_id IS NULL THEN $readable ELSE [] END AS scope_id
  CALL (scope_id) {
    MATCH (o:Observation)
    USING INDEX SEEK o:Observation(scope_id, goal_key, uid)
    WHERE o.scope_id = scope_id AND o.goal_key = $goal_key AND o.uid < $before AND o.uid > $since_uid
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
    ORDER BY o.scope_id DESC, o.goal_key DESC, o.uid DESC
    LIMIT $limit
  }
  RETURN o
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
