// Locks the writable observations among some ids and says what is linked or said twice; one row.
// mode: write
// scope: caller
// params: uids, readable, writable, now
// returns: one
CYPHER 25
CALL () {
  // One transaction at a time decides in a space: of two who find no goal for a topic, one would found too many.
  UNWIND $uids AS uid
  MATCH (o:Observation&Memory {uid: uid})
  WHERE o.scope_id IN $writable
  WITH DISTINCT o.scope_id AS scope_id
  ORDER BY scope_id
  MATCH (s:Space {uid: scope_id})
  SET s.locked_at = $now
  RETURN count(s) AS spaces
}
// Sorted by the caller: two evaluations of the same observations wait for each other instead of deadlocking.
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
  // The oldest of a text said thousands of times are the ones that were linked, if any was.
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
// Times that every one has go as text: the driver is slow to build its own kind of them.
RETURN collect(o {
  .uid, .scope_id, .type, .content, .confidence, .tags, .status, .source_kind, .source_name, .source_turn_id,
  .source_timestamp, .context_goal_id, .goal_key, .user_id, .ttl_minutes, .metadata, .client_key,
  created_at: toString(o.created_at), updated_at: toString(o.updated_at), expires_at: toString(o.expires_at),
  .archived_at, .pinned, .by_uid, .version, .entity_names, .entity_kinds,
  .text_key, linked: linked, goal_ids: goal_ids, repeated: repeated, twin_linked: twin_linked
}) AS items
