// A page of observations that mention every entity, newest first, one row.
// mode: read
// scope: caller
// params: readable, slices, tag_keys, before, without, limit, now, types, min_confidence, user_id, entity_uids
// returns: one
CYPHER 25
CALL () {
  // The rarest entity is the way in; its degree is stored, so choosing costs nothing.
  UNWIND $entity_uids AS uid
  MATCH (e:Entity {uid: uid})
  WITH e, COUNT { (e)<-[:MENTIONS]-() } AS mentions
  ORDER BY mentions, e.uid
  WITH collect(e.uid) AS found
  // An entity that nobody named means that nothing mentions all of them.
  WHERE size(found) = size($entity_uids)
  RETURN found[0] AS rarest
}
UNWIND $readable AS scope_id
CALL (scope_id, rarest) {
  MATCH (o:Observation)-[mention:MENTIONS]->(:Entity)
  USING INDEX SEEK mention:MENTIONS(scope_id, entity_uid, from_uid)
  WHERE mention.scope_id = scope_id AND mention.entity_uid = rarest AND mention.from_uid < $before
    // Ids of other kinds stand before and after those of observations.
    AND mention.from_uid > 'obs_'
    AND NOT o.uid IN $without
    AND all(key IN $tag_keys WHERE key IN o.tag_keys)
    AND any(slice IN $slices WHERE o.status = slice.status
            AND (slice.alive IS NULL OR (o.expires_at > $now) = slice.alive))
    AND ($types IS NULL OR o.type IN $types)
    AND ($min_confidence IS NULL OR o.confidence >= $min_confidence)
    AND ($user_id IS NULL OR o.user_id = $user_id)
    AND all(uid IN $entity_uids WHERE uid IN o.entity_uids)
  RETURN o
  // All three, although two are constant here: only then the planner sees that this is the index's order.
  ORDER BY mention.scope_id DESC, mention.entity_uid DESC, mention.from_uid DESC
  LIMIT $limit
}
WITH o
ORDER BY o.uid DESC
LIMIT $limit
// Times that every one has go as text: the driver is slow to build its own kind of them.
RETURN collect(o {
  .uid, .scope_id, .type, .content, .confidence, .tags, .status, .source_kind, .source_name, .source_turn_id,
  .source_timestamp, .context_goal_id, .goal_key, .user_id, .ttl_minutes, .metadata, .client_key,
  created_at: toString(o.created_at), updated_at: toString(o.updated_at), expires_at: toString(o.expires_at),
  .archived_at, .pinned, .by_uid, .version, .entity_names, .entity_kinds
}) AS items
