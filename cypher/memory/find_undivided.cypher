// A page of memories, by id, and the durable ones among them that may be long enough for passages and have none; one row.
// mode: read
// scope: system - the migration serves every organisation
// params: after, more_than, limit
// returns: one
CYPHER 25
CALL () {
  MATCH (m:Memory)
  USING INDEX SEEK m:Memory(uid)
  WHERE m.uid > $after
  RETURN m
  ORDER BY m.uid
  LIMIT $limit
}
WITH collect(m) AS page
RETURN size(page) AS looked, page[-1].uid AS last_uid,
       // A character is counted once or twice here, and has at most three bytes for each time.
       [m IN page WHERE m:Remembered AND m.searchable_in IS NOT NULL AND 3 * size(m.content) > $more_than AND NOT EXISTS { (m)<-[:PART_OF]-() } | m {
         .org_id,
         // part: memory_fields(m)
         .uid, .scope_id, .kind, .content, .essential, .forbids, .requires_confirmation, .tags, .entities, .confidence, happened_at: toString(m.happened_at), .speaker,
         .conversation, .derived_from, .metadata, .client_key, .status, .superseded_by, created_at: toString(m.created_at),
         updated_at: toString(m.updated_at), .by_uid, .version, .live, .importance, .retention, retained_until: toString(m.retained_until)
         // end part
       }] AS items
