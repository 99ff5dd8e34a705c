// The conditions of the filter of memories. One whose time is over is not there, also before it is deleted; in this form the condition looks into no index of times.
// variables: m
AND m.status IN $statuses
AND ($client_key IS NULL OR m.client_key = $client_key)
AND ($conversation IS NULL OR m.conversation = $conversation)
AND ($since IS NULL OR m.happened_at >= $since)
AND ($until IS NULL OR m.happened_at < $until)
AND ($min_importance IS NULL OR m.importance >= $min_importance)
AND all(tag IN $tags WHERE tag IN [each IN m.tags | toLower(normalize(each, NFKC))])
AND NOT coalesce(m.retained_until <= $now, false)
