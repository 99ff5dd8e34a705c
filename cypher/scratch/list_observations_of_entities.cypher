// A page of the readable observations that mention each of some entities, in any status, newest first; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $pages AS page
CALL (page) {
  UNWIND $readable AS scope_id
  CALL (page, scope_id) {
    MATCH (o:Observation)-[mention:MENTIONS]->(:Entity)
    USING INDEX SEEK mention:MENTIONS(scope_id, entity_uid, from_uid)
    WHERE mention.scope_id = scope_id AND mention.entity_uid = page.uid
      // The index also has the ids of other kinds of nodes, before and after those of observations.
      AND mention.from_uid > 'obs_' AND mention.from_uid < coalesce(page.after[0], 'obs_~')
    RETURN o
    // All three properties, although two are constant here: only then does the planner use the order of the index.
    ORDER BY mention.scope_id DESC, mention.entity_uid DESC, mention.from_uid DESC
    LIMIT $limit
  }
  WITH o
  ORDER BY o.uid DESC
  LIMIT $limit
  RETURN collect({key: [o.uid], node: o {
    // part: observation_fields(o)
  }}) AS found
}
WITH page, found WHERE size(found) > 0
RETURN collect({number: page.number, found: found}) AS items
