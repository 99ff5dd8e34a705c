// The number of durable memories of some kinds; one row.
// mode: read
// scope: caller
// params: readable, kinds, live, statuses, client_key, conversation, tags, since, until, min_importance, now
// returns: one
CYPHER 25
UNWIND $readable AS scope_id
UNWIND $kinds AS kind
UNWIND $live AS live
CALL (scope_id, kind, live) {
  MATCH (m:Remembered)
  USING INDEX SEEK m:Remembered(scope_id, kind, live, uid)
  WHERE m.scope_id = scope_id AND m.kind = kind.name AND m.live = live AND m.uid IS NOT NULL
    // part: memory_filter(m)
    AND m.status IN $statuses
    AND ($client_key IS NULL OR m.client_key = $client_key)
    AND ($conversation IS NULL OR m.conversation = $conversation)
    AND ($since IS NULL OR m.happened_at >= $since)
    AND ($until IS NULL OR m.happened_at < $until)
    AND ($min_importance IS NULL OR m.importance >= $min_importance)
    AND all(tag IN $tags WHERE tag IN [each IN m.tags | toLower(normalize(each, NFKC))])
    AND NOT coalesce(m.retained_until <= $now, false)
    // end part
  RETURN count(m) AS number
}
RETURN sum(number) AS total
