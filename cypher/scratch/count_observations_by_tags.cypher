// The number of observations that have every tag of one list and any of another; one row.
// mode: read
// scope: caller
// params: readable, slices, tag_keys, before, since_uid, now, types, min_confidence, user_id, entity_uids, any_tag_keys, client_key, turn_key, source_kind, source_name, since, until
// returns: one
CYPHER 25
UNWIND $readable AS scope_id
CALL (scope_id) {
  UNWIND $tag_keys AS key
  MATCH (tag:Tag {scope_id: scope_id, key: key})
  WITH tag, COUNT { (tag)<-[:TAGGED]-() } AS carriers
  ORDER BY carriers, tag.key
  WITH collect(tag) AS tags
  WHERE size(tags) = size($tag_keys)
  RETURN tags[0].uid AS rarest
}
CALL (scope_id, rarest) {
  UNWIND CASE WHEN rarest IS NULL THEN $any_tag_keys ELSE [] END AS key
  MATCH (tag:Tag {scope_id: scope_id, key: key})
  RETURN collect(tag.uid) AS others
}
CALL (rarest, others) {
  UNWIND CASE WHEN rarest IS NULL THEN others ELSE [rarest] END AS start
  MATCH (o:Observation)-[tagged:TAGGED]->(:Tag)
  USING INDEX SEEK tagged:TAGGED(tag_uid, memory_uid)
  WHERE tagged.tag_uid = start AND tagged.memory_uid < $before AND tagged.memory_uid > $since_uid
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
  RETURN count(DISTINCT o) AS matching
}
RETURN sum(matching) AS total
