// A page of the readable durable memories that mention each of some entities, in any status, by kind and newest first; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $pages AS page
CALL (page) {
  UNWIND $readable AS scope_id
  // The index also has the ids of observations, which may be very many: they are left out as a range.
  UNWIND [{above: '', below: 'obs_'}, {above: 'obs_~', below: '~'}] AS part
  CALL (page, scope_id, part) {
    MATCH (m:Remembered)-[mention:MENTIONS]->(:Entity)
    USING INDEX SEEK mention:MENTIONS(scope_id, entity_uid, from_uid)
    WHERE mention.scope_id = scope_id AND mention.entity_uid = page.uid
      AND mention.from_uid > part.above
      AND mention.from_uid < CASE WHEN coalesce(page.after[0], '~') < part.below THEN page.after[0] ELSE part.below END
      AND NOT coalesce(m.retained_until <= $read_at, false)
    RETURN m
    // All three properties, although two are constant here: only then does the planner use the order of the index.
    ORDER BY mention.scope_id DESC, mention.entity_uid DESC, mention.from_uid DESC
    LIMIT $limit
  }
  WITH m
  ORDER BY m.uid DESC
  LIMIT $limit
  RETURN collect({key: [m.uid], node: m {
    // part: memory_fields(m)
  }}) AS found
}
WITH page, found WHERE size(found) > 0
RETURN collect({number: page.number, found: found}) AS items
