// A page of observations that have every tag of one list and any of another, newest first; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $readable AS scope_id
CALL (scope_id) {
  // Of tags that an observation must all have, the query starts at the one with the fewest observations. Neo4j stores the
  // degree, so the choice costs nothing.
  UNWIND $tag_keys AS key
  MATCH (tag:Tag {scope_id: scope_id, key: key})
  WITH tag, COUNT { (tag)<-[:TAGGED]-() } AS carriers
  ORDER BY carriers, tag.key
  WITH collect(tag) AS tags
  // If one of the tags does not exist in the space, no observation there has all of them.
  WHERE size(tags) = size($tag_keys)
  RETURN tags[0].uid AS rarest
}
CALL (scope_id, rarest) {
  // Of tags that an observation needs only one of, it starts at each.
  UNWIND CASE WHEN rarest IS NULL THEN $any_tag_keys ELSE [] END AS key
  MATCH (tag:Tag {scope_id: scope_id, key: key})
  RETURN collect(tag.uid) AS others
}
UNWIND CASE WHEN rarest IS NULL THEN others ELSE [rarest] END AS start
CALL (start) {
  MATCH (o:Observation)-[tagged:TAGGED]->(:Tag)
  USING INDEX SEEK tagged:TAGGED(tag_uid, memory_uid)
  WHERE tagged.tag_uid = start AND tagged.memory_uid < $before AND tagged.memory_uid > $since_uid
    AND NOT o.uid IN $without
    AND all(key IN $tag_keys WHERE key IN o.tag_keys)
    // part: observation_filter_with_slices(o)
  RETURN o
  // Both properties, although one is constant here: only then does the planner use the order of the index.
  ORDER BY tagged.tag_uid DESC, tagged.memory_uid DESC
  LIMIT $limit
}
WITH DISTINCT o
ORDER BY o.uid DESC
LIMIT $limit
RETURN collect(o {
  // part: observation_fields(o)
}) AS items
