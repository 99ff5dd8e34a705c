// The number of lessons that match a filter; one row.
// mode: read
// scope: caller
// params: readable, live, statuses, tags, tool, min_support, min_confidence
// returns: one
CYPHER 25
UNWIND $readable AS scope_id
UNWIND $live AS live
MATCH (m:Remembered)
USING INDEX SEEK m:Remembered(scope_id, kind, live, uid)
WHERE m.scope_id = scope_id AND m.kind = 'lesson' AND m.live = live AND m.uid IS NOT NULL
  // part: lesson_filter(m)
  AND m.status IN $statuses
  AND ($tool IS NULL OR $tool IN m.tools)
  AND ($min_support IS NULL OR m.support >= $min_support)
  AND ($min_confidence IS NULL OR m.confidence >= $min_confidence)
  AND all(tag IN $tags WHERE tag IN [each IN m.tags | toLower(normalize(each, NFKC))])
  // end part
RETURN count(m) AS total
