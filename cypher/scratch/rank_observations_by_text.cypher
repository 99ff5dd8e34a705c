// The observations that match the filter and have the most words of a text, with the beginning of their texts; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
// Only the best hits are read, because a frequent word may be in half of all memories. The full-text query requires
// the spaces already. The condition on the space is a second, independent access check.
CALL db.index.fulltext.queryNodes('memory_text', $search, {limit: $look}) YIELD node AS o, score
WHERE o:Observation AND o.scope_id IN $readable
  // part: observation_filter_whole(o)
WITH o, score
ORDER BY score DESC, o.uid DESC
LIMIT $most
RETURN collect({uid: o.uid, text: left(o.content, $longest)}) AS items
