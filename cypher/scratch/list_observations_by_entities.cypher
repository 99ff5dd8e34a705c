// A page of observations that mention every given entity, newest first; one row.
// mode: read
// scope: caller
// params: readable, slices, tag_keys, before, since_uid, without, limit, now, types, min_confidence, user_id, entity_uids, any_tag_keys, client_key, turn_key, source_kind, source_name, since, until
// returns: one
CYPHER 25
CALL () {
  // The query starts at the entity with the fewest mentions. Neo4j stores the degree, so the choice costs nothing.
  UNWIND $entity_uids AS uid
  MATCH (e:Entity {uid: uid})
  WITH e, COUNT { (e)<-[:MENTIONS]-() } AS mentions
  ORDER BY mentions, e.uid
  WITH collect(e.uid) AS found
  // If one of the entities does not exist, no observation mentions all of them.
  WHERE size(found) = size($entity_uids)
  RETURN found[0] AS rarest
}
UNWIND $readable AS scope_id
CALL (scope_id, rarest) {
  MATCH (o:Observation)-[mention:MENTIONS]->(:Entity)
  USING INDEX SEEK mention:MENTIONS(scope_id, entity_uid, from_uid)
  WHERE mention.scope_id = scope_id AND mention.entity_uid = rarest AND mention.from_uid < $before
    // The index also has the ids of other kinds of nodes, before and after those of observations: these begin with `obs_`.
    AND mention.from_uid > $since_uid
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
  ORDER BY mention.scope_id DESC, mention.entity_uid DESC, mention.from_uid DESC
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
