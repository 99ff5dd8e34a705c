// The conditions of a search's filter that the indexes of goals, questions and stories do not hold.
// variables: n
AND ($space IS NULL OR n.scope_id = $space)
AND ($since IS NULL OR n.created_at >= $since)
AND ($until IS NULL OR n.created_at <= $until)
AND all(tag IN $tags WHERE tag IN [each IN coalesce(n.tag_keys, []) | toLower(normalize(each, NFKC))])
