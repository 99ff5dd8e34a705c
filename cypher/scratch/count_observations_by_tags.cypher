// The number of observations that have every tag of one list and any of another; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $readable AS scope_id
CALL (scope_id) {
  UNWIND $tag_keys AS key
  MATCH (tag:Tag {scope_id: scope_id, key: key})
  WITH tag, COUNT { (tag)<-[:TAGGED]-() } AS carriers
  ORDER BY carriers, tag.key
  WITH collect(tag) AS tags
  WHERE size(tags) = size($tag_keys)
  RETURN tags[0].uid AS rarest
}
CALL (scope_id, rarest) {
  UNWIND CASE WHEN rarest IS NULL THEN $any_tag_keys ELSE [] END AS key
  MATCH (tag:Tag {scope_id: scope_id, key: key})
  RETURN collect(tag.uid) AS others
}
CALL (rarest, others) {
  UNWIND CASE WHEN rarest IS NULL THEN others ELSE [rarest] END AS start
  MATCH (o:Observation)-[tagged:TAGGED]->(:Tag)
  USING INDEX SEEK tagged:TAGGED(tag_uid, memory_uid)
  WHERE tagged.tag_uid = start AND tagged.memory_uid < $before AND tagged.memory_uid > $since_uid
    AND all(key IN $tag_keys WHERE key IN o.tag_keys)
    // part: observation_filter_with_slices(o)
  RETURN count(DISTINCT o) AS matching
}
RETURN sum(matching) AS total
