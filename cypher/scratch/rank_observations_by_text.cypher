// The observations that match the filter and have the most words of a text, with the beginning of their texts; one row.
// mode: read
// scope: caller
// params: readable, search, look, most, longest, goal_id, goal_key, slices, tag_keys, now, types, min_confidence, user_id, entity_uids
// returns: one
CYPHER 25
// Only the best hits are read, because a frequent word may be in half of all memories. The full-text query requires
// the spaces already. The condition on the space is a second, independent access check.
CALL db.index.fulltext.queryNodes('memory_text', $search, {limit: $look}) YIELD node AS o, score
WHERE o:Observation AND o.scope_id IN $readable
  AND ($goal_id IS NULL OR o.context_goal_id = $goal_id
       OR EXISTS { (o)-[link:EVIDENCES]->(named:Goal {uid: $goal_id})
                   WHERE link.until IS NULL AND named.scope_id IN $readable })
  AND ($goal_key IS NULL OR o.goal_key = $goal_key)
  AND all(key IN $tag_keys WHERE key IN o.tag_keys)
  // part: observation_filter_with_slices(o)
  AND any(slice IN $slices WHERE o.status = slice.status
          AND (slice.alive IS NULL OR (o.expires_at > $now) = slice.alive))
  AND ($types IS NULL OR o.type IN $types)
  AND ($min_confidence IS NULL OR o.confidence >= $min_confidence)
  AND ($user_id IS NULL OR o.user_id = $user_id)
  AND all(uid IN $entity_uids WHERE uid IN o.entity_uids)
  // end part
WITH o, score
ORDER BY score DESC, o.uid DESC
LIMIT $most
RETURN collect({uid: o.uid, text: left(o.content, $longest)}) AS items
