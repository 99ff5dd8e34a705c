// The observations that match the filter and have the most words of a text, with the beginning of their texts; one row.
// mode: read
// scope: caller
// params: readable, search, look, most, longest, goal_id, goal_key, slices, tag_keys, now, types, min_confidence, user_id, entity_uids, any_tag_keys, client_key, turn_key, source_kind, source_name, since, until
// returns: one
CYPHER 25
// Only the best hits are read, because a frequent word may be in half of all memories. The full-text query requires
// the spaces already. The condition on the space is a second, independent access check.
CALL db.index.fulltext.queryNodes('memory_text', $search, {limit: $look}) YIELD node AS o, score
WHERE o:Observation AND o.scope_id IN $readable
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
WITH o, score
ORDER BY score DESC, o.uid DESC
LIMIT $most
RETURN collect({uid: o.uid, text: left(o.content, $longest)}) AS items
