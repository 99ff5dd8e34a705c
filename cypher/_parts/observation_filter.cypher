// The conditions of a filter that hold for each observation alone.
// variables: o
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
