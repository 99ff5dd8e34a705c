// The number of observations that match; one row.
// mode: read
// scope: caller
// params: readable, slices, now, types, min_confidence, user_id, entity_uids
// returns: one
CYPHER 25
UNWIND $readable AS scope_id
UNWIND $slices AS slice
CALL (scope_id, slice) {
  MATCH (o:Observation)
  USING INDEX SEEK o:Observation(scope_id, status, uid)
  // The planner uses the index only if there is a condition on each of its properties, hence the one on the id.
  WHERE o.scope_id = scope_id AND o.status = slice.status AND o.uid IS NOT NULL
    AND (slice.alive IS NULL OR (o.expires_at > $now) = slice.alive)
    // part: observation_filter(o)
    AND ($types IS NULL OR o.type IN $types)
    AND ($min_confidence IS NULL OR o.confidence >= $min_confidence)
    AND ($user_id IS NULL OR o.user_id = $user_id)
    AND all(uid IN $entity_uids WHERE uid IN o.entity_uids)
    // end part
  RETURN count(o) AS matching
}
RETURN sum(matching) AS total
