// The number of observations that are evidence of a goal or name its id or key; one row.
// mode: read
// scope: caller
// params: readable, goal_id, goal_key, slices, tag_keys, before, since_uid, now, types, min_confidence, user_id, entity_uids, any_tag_keys, client_key, turn_key, source_kind, source_name, since, until
// returns: one
CYPHER 25
CALL () {
  MATCH (g:Goal {uid: $goal_id})<-[evidence:EVIDENCES]-(o:Observation)
  WHERE g.scope_id IN $readable AND evidence.until IS NULL
  RETURN o
  UNION
  UNWIND $readable AS scope_id
  MATCH (o:Observation {scope_id: scope_id, context_goal_id: $goal_id})
  USING INDEX SEEK o:Observation(scope_id, context_goal_id, uid)
  WHERE o.uid < $before AND o.uid > $since_uid
  RETURN o
  UNION
  UNWIND $readable AS scope_id
  MATCH (o:Observation {scope_id: scope_id, goal_key: $goal_key})
  USING INDEX SEEK o:Observation(scope_id, goal_key, uid)
  WHERE o.uid < $before AND o.uid > $since_uid
  RETURN o
}
WITH DISTINCT o
WHERE o.scope_id IN $readable
    // If both an id and a key are given, both conditions apply.
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
RETURN count(o) AS total
