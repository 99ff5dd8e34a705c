// A page of observations, last changed first; one row. Each space and status is read in the order of the index.
// mode: read
// scope: caller
// params: readable, slices, tag_keys, goal_id, goal_key, before_at, before, limit, now, types, min_confidence, user_id, entity_uids, any_tag_keys, client_key, turn_key, source_kind, source_name, since, until
// returns: one
CYPHER 25
UNWIND $readable AS scope_id
UNWIND [slice IN $slices | slice.status] AS status
CALL (scope_id, status) {
  // Two walks in the index's order, as in goals/list_goals: the rest of the cursor's own time, then all earlier times.
  MATCH (o:Observation)
  USING INDEX SEEK o:Observation(scope_id, status, updated_at, uid)
  WHERE o.scope_id = scope_id AND o.status = status AND o.updated_at = $before_at AND o.uid < $before
    // part: observation_filter_whole(o)
    AND ($goal_id IS NULL OR o.context_goal_id = $goal_id
         OR EXISTS { (o)-[link:EVIDENCES]->(named:Goal {uid: $goal_id})
                     WHERE link.until IS NULL AND named.scope_id IN $readable })
    AND ($goal_key IS NULL OR o.goal_key = $goal_key)
    AND all(key IN $tag_keys WHERE key IN o.tag_keys)
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
  ORDER BY o.scope_id DESC, o.status DESC, o.updated_at DESC, o.uid DESC
  LIMIT $limit
  UNION ALL
  MATCH (o:Observation)
  USING INDEX SEEK o:Observation(scope_id, status, updated_at, uid)
  WHERE o.scope_id = scope_id AND o.status = status AND o.updated_at < $before_at AND o.uid IS NOT NULL
    // part: observation_filter_whole(o)
    AND ($goal_id IS NULL OR o.context_goal_id = $goal_id
         OR EXISTS { (o)-[link:EVIDENCES]->(named:Goal {uid: $goal_id})
                     WHERE link.until IS NULL AND named.scope_id IN $readable })
    AND ($goal_key IS NULL OR o.goal_key = $goal_key)
    AND all(key IN $tag_keys WHERE key IN o.tag_keys)
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
  ORDER BY o.scope_id DESC, o.status DESC, o.updated_at DESC, o.uid DESC
  LIMIT $limit
}
WITH o
ORDER BY o.updated_at DESC, o.uid DESC
LIMIT $limit
RETURN collect(o {
  // part: observation_fields(o)
  .uid, .scope_id, .type, .content, .confidence, .tags, .status, .source_kind, .source_name, .source_turn_id,
  .source_timestamp, .context_goal_id, .goal_key, .user_id, .ttl_minutes, .metadata, .client_key,
  created_at: toString(o.created_at), updated_at: toString(o.updated_at), expires_at: toString(o.expires_at),
  .archived_at, .pinned, .by_uid, .version, .entity_names, .entity_kinds
  // end part
}) AS items
