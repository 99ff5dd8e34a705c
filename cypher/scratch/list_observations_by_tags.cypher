// A page of observations that have every tag of one list and any of another, newest first; one row.
// mode: read
// scope: caller
// params: readable, slices, tag_keys, before, since_uid, without, limit, now, types, min_confidence, user_id, entity_uids, any_tag_keys, client_key, turn_key, source_kind, source_name, since, until
// returns: one
CYPHER 25
UNWIND $readable AS scope_id
CALL (scope_id) {
  // Of tags that an observation must all have, the query starts at the one with the fewest observations. Neo4j stores the
  // degree, so the choice costs nothing.
  UNWIND $tag_keys AS key
  MATCH (tag:Tag {scope_id: scope_id, key: key})
  WITH tag, COUNT { (tag)<-[:TAGGED]-() } AS carriers
  ORDER BY carriers, tag.key
  WITH collect(tag) AS tags
  // If one of the tags does not exist in the space, no observation there has all of them.
  WHERE size(tags) = size($tag_keys)
  RETURN tags[0].uid AS rarest
}
CALL (scope_id, rarest) {
  // Of tags that an observation needs only one of, it starts at each.
  UNWIND CASE WHEN rarest IS NULL THEN $any_tag_keys ELSE [] END AS key
  MATCH (tag:Tag {scope_id: scope_id, key: key})
  RETURN collect(tag.uid) AS others
}
UNWIND CASE WHEN rarest IS NULL THEN others ELSE [rarest] END AS start
CALL (start) {
  MATCH (o:Observation)-[tagged:TAGGED]->(:Tag)
  USING INDEX SEEK tagged:TAGGED(tag_uid, memory_uid)
  WHERE tagged.tag_uid = start AND tagged.memory_uid < $before AND tagged.memory_uid > $since_uid
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
  // Both properties, although one is constant here: only then does the planner use the order of the index.
  ORDER BY tagged.tag_uid DESC, tagged.memory_uid DESC
  LIMIT $limit
}
WITH DISTINCT o
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
