// Locks the writable observations among some ids and returns which are linked or repeated; one row.
// mode: write
// scope: caller
// params: uids, readable, writable, now
// returns: one
CYPHER 25
CALL () {
  // Locks the spaces, so that one transaction at a time decides. Otherwise two could each create a goal for one topic.
  UNWIND $uids AS uid
  MATCH (o:Observation&Memory {uid: uid})
  WHERE o.scope_id IN $writable
  WITH DISTINCT o.scope_id AS scope_id
  ORDER BY scope_id
  MATCH (s:Space {uid: scope_id})
  SET s.locked_at = $now
  RETURN count(s) AS spaces
}
// `uids` is sorted, so that two evaluations of the same observations wait for each other instead of deadlocking.
UNWIND $uids AS uid
MATCH (o:Observation&Memory {uid: uid})
WHERE o.scope_id IN $writable
SET o.linked_at = $now
WITH o
CALL (o) {
  OPTIONAL MATCH (o)-[link:EVIDENCES]->(g:Goal)
  WHERE link.until IS NULL
  WITH g ORDER BY link.since, g.uid
  RETURN count(g) > 0 AS linked, collect(CASE WHEN g.scope_id IN $readable THEN g.uid END) AS goal_ids
}
CALL (o) {
  // If a text occurs thousands of times, the oldest 100 are enough: if any of them is linked, an old one is.
  MATCH (twin:Observation)
  USING INDEX SEEK twin:Observation(scope_id, text_key, uid)
  WHERE twin.scope_id = o.scope_id AND twin.text_key = o.text_key AND twin.uid IS NOT NULL
  WITH twin
  ORDER BY twin.scope_id, twin.text_key, twin.uid
  LIMIT 100
  WITH twin WHERE twin.uid <> o.uid
  RETURN count(CASE WHEN twin.uid < o.uid THEN 1 END) > 0 AS repeated,
         count(CASE WHEN EXISTS { MATCH (twin)-[link:EVIDENCES]->(:Goal) WHERE link.until IS NULL } THEN 1 END) > 0
           AS twin_linked
}
RETURN collect(o {
  // part: observation_fields(o)
  .uid, .scope_id, .type, .content, .confidence, .tags, .status, .source_kind, .source_name, .source_turn_id,
  .source_timestamp, .context_goal_id, .goal_key, .user_id, .ttl_minutes, .metadata, .client_key,
  created_at: toString(o.created_at), updated_at: toString(o.updated_at), expires_at: toString(o.expires_at),
  .archived_at, .pinned, .by_uid, .version, .entity_names, .entity_kinds
  // end part
  , .text_key, linked: linked, goal_ids: goal_ids, repeated: repeated, twin_linked: twin_linked
}) AS items
