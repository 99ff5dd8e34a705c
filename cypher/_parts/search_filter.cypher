// The conditions of a search's filter that no index holds.
// variables: m
AND size($filtered) > 0
AND ($since IS NULL OR coalesce(m.happened_at, m.created_at) >= $since)
AND ($until IS NULL OR coalesce(m.happened_at, m.created_at) <= $until)
AND ($conversation IS NULL OR m.conversation = $conversation)
AND ($min_confidence IS NULL OR coalesce(m.confidence, 1.0) >= $min_confidence)
AND all(tag IN $tags WHERE tag IN [each IN coalesce(m.tag_keys, m.tags, []) | toLower(normalize(each, NFKC))])
AND (size($about) = 0 OR EXISTS { (m)-[by:MENTIONS]->(named:Entity) WHERE named.uid IN $about AND by.how IN $mentions })
