// A page of observations that mention every given entity, newest first; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
CALL () {
  // The query starts at the entity with the fewest mentions. Neo4j stores the degree, so the choice costs nothing.
  UNWIND $entity_uids AS uid
  MATCH (e:Entity {uid: uid})
  WITH e, COUNT { (e)<-[:MENTIONS]-() } AS mentions
  ORDER BY mentions, e.uid
  WITH collect(e.uid) AS found
  // If one of the entities does not exist, no observation mentions all of them.
  WHERE size(found) = size($entity_uids)
  RETURN found[0] AS rarest
}
UNWIND $readable AS scope_id
CALL (scope_id, rarest) {
  MATCH (o:Observation)-[mention:MENTIONS]->(:Entity)
  USING INDEX SEEK mention:MENTIONS(scope_id, entity_uid, from_uid)
  WHERE mention.scope_id = scope_id AND mention.entity_uid = rarest AND mention.from_uid < $before
    // The index also has the ids of other kinds of nodes, before and after those of observations: these begin with `obs_`.
    AND mention.from_uid > $since_uid
    AND NOT o.uid IN $without
    AND all(key IN $tag_keys WHERE key IN o.tag_keys)
    // part: observation_filter_with_slices(o)
  RETURN o
  // All three properties, although two are constant here: only then does the planner use the order of the index.
  ORDER BY mention.scope_id DESC, mention.entity_uid DESC, mention.from_uid DESC
  LIMIT $limit
}
WITH o
ORDER BY o.uid DESC
LIMIT $limit
RETURN collect(o {
  // part: observation_fields(o)
}) AS items
