// A page of durable memories of some kinds, newest first, one row.
// mode: read
// scope: caller
// params: readable, kinds, live, statuses, client_key, conversation, tags, since, until, min_importance, now, limit
// returns: one
CYPHER 25
UNWIND $readable AS scope_id
UNWIND $kinds AS kind
UNWIND $live AS live
CALL (scope_id, kind, live) {
  MATCH (m:Remembered)
  USING INDEX SEEK m:Remembered(scope_id, kind, live, uid)
  WHERE m.scope_id = scope_id AND m.kind = kind.name AND m.live = live AND m.uid < kind.before
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
  RETURN m
  // All properties, although most are constant here: only then does the planner use the order of the index.
  ORDER BY m.scope_id DESC, m.kind DESC, m.live DESC, m.uid DESC
  LIMIT $limit
}
WITH m
// The part of an id after its kind sorts by time.
ORDER BY right(m.uid, 26) DESC
LIMIT $limit
RETURN collect(m {
  // part: memory_fields(m)
  .uid, .scope_id, .kind, .content, .essential, .forbids, .requires_confirmation, .tags, .entities, .confidence, happened_at: toString(m.happened_at), .speaker,
  .conversation, .derived_from, .metadata, .client_key, .status, .superseded_by, created_at: toString(m.created_at),
  updated_at: toString(m.updated_at), .by_uid, .version, .live, .importance, .retention, retained_until: toString(m.retained_until)
  // end part
}) AS items
