// The conditions of the filter of lessons.
// variables: m
AND m.status IN $statuses
AND ($tool IS NULL OR $tool IN m.tools)
AND ($min_support IS NULL OR m.support >= $min_support)
AND ($min_confidence IS NULL OR m.confidence >= $min_confidence)
AND all(tag IN $tags WHERE tag IN [each IN m.tags | toLower(normalize(each, NFKC))])
