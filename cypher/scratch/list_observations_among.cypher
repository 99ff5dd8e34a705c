// The observations among some ids that match the filter, in the order of the ids; one row.
// mode: read
// scope: caller
// params: readable, uids, limit, goal_id, goal_key, slices, tag_keys, now, types, min_confidence, user_id, entity_uids, any_tag_keys, client_key, turn_key, source_kind, source_name, since, until
// returns: one
CYPHER 25
UNWIND range(0, size($uids) - 1) AS place
MATCH (o:Observation&Memory {uid: $uids[place]})
USING INDEX SEEK o:Memory(uid)
WHERE o.scope_id IN $readable
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
WITH o, place
ORDER BY place
LIMIT $limit
RETURN collect(o {
  // part: observation_fields(o)
  .uid, .scope_id, .type, .content, .confidence, .tags, .status, .source_kind, .source_name, .source_turn_id,
  .source_timestamp, .context_goal_id, .goal_key, .user_id, .ttl_minutes, .metadata, .client_key,
  created_at: toString(o.created_at), updated_at: toString(o.updated_at), expires_at: toString(o.expires_at),
  .archived_at, .pinned, .by_uid, .version, .entity_names, .entity_kinds
  // end part
}) AS items
