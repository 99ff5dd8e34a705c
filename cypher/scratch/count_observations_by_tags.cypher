// The number of observations that have every given tag; one row.
// mode: read
// scope: caller
// params: readable, slices, tag_keys, now, types, min_confidence, user_id, entity_uids
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
  RETURN tags[0] AS rarest
}
CALL (rarest) {
  MATCH (rarest)<-[:TAGGED]-(o:Observation)
  WHERE all(key IN $tag_keys WHERE key IN o.tag_keys)
    // part: observation_filter_with_slices(o)
    AND any(slice IN $slices WHERE o.status = slice.status
            AND (slice.alive IS NULL OR (o.expires_at > $now) = slice.alive))
    AND ($types IS NULL OR o.type IN $types)
    AND ($min_confidence IS NULL OR o.confidence >= $min_confidence)
    AND ($user_id IS NULL OR o.user_id = $user_id)
    AND all(uid IN $entity_uids WHERE uid IN o.entity_uids)
    // end part
  RETURN count(o) AS matching
}
RETURN sum(matching) AS total
