// The conditions of a filter that hold for each observation alone.
// variables: o
AND ($types IS NULL OR o.type IN $types)
AND ($min_confidence IS NULL OR o.confidence >= $min_confidence)
AND ($user_id IS NULL OR o.user_id = $user_id)
AND all(uid IN $entity_uids WHERE uid IN o.entity_uids)
