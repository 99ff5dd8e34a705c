// A page of observations that have every given tag, newest first; one row.
// mode: read
// scope: caller
// params: readable, slices, tag_keys, before, without, limit, now, types, min_confidence, user_id, entity_uids
// returns: one
CYPHER 25
UNWIND $readable AS scope_id
CALL (scope_id) {
  // The query starts at the tag with the fewest observations. Neo4j stores the degree, so the choice costs nothing.
  UNWIND $tag_keys AS key
  MATCH (tag:Tag {scope_id: scope_id, key: key})
  WITH tag, COUNT { (tag)<-[:TAGGED]-() } AS carriers
  ORDER BY carriers, tag.key
  WITH collect(tag) AS tags
  // If one of the tags does not exist in the space, no observation there has all of them.
  WHERE size(tags) = size($tag_keys)
  RETURN tags[0].uid AS rarest
}
CALL (rarest) {
  MATCH (o:Observation)-[tagged:TAGGED]->(:Tag)
  USING INDEX SEEK tagged:TAGGED(tag_uid, memory_uid)
  WHERE tagged.tag_uid = rarest AND tagged.memory_uid < $before
    AND NOT o.uid IN $without
    AND all(key IN $tag_keys WHERE key IN o.tag_keys)
    // part: observation_filter_with_slices(o)
    AND any(slice IN $slices WHERE o.status = slice.status
            AND (slice.alive IS NULL OR (o.expires_at > $now) = slice.alive))
    AND ($types IS NULL OR o.type IN $types)
    AND ($min_confidence IS NULL OR o.confidence >= $min_confidence)
    AND ($user_id IS NULL OR o.user_id = $user_id)
    AND all(uid IN $entity_uids WHERE uid IN o.entity_uids)
    // end part
  RETURN o
  // Both properties, although one is constant here: only then does the planner use the order of the index.
  ORDER BY tagged.tag_uid DESC, tagged.memory_uid DESC
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
