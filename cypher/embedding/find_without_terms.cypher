// A page of memories, by id, and those among them without terms, which were stored before there were any; one row.
// mode: read
// scope: system - the migration serves every organisation
// params: after, limit
// returns: one
CYPHER 25
CALL () {
  MATCH (m:Memory)
  WHERE m.uid > $after
  RETURN m
  ORDER BY m.uid
  LIMIT $limit
}
WITH collect(m) AS page
RETURN size(page) AS looked, page[-1].uid AS last_uid,
       [m IN page WHERE m.terms IS NULL AND coalesce(m.status, '') <> 'forgotten' | m {
         .uid, .content, .speaker, .tags, .entities, .entity_names, at: toString(coalesce(m.happened_at, m.created_at))
       }] AS items
