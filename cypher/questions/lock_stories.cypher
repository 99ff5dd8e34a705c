// Locks the readable stories among some ids, so that none changes before the commit; one row.
// mode: write
// scope: caller
// params: uids, readable, now
// returns: one
CYPHER 25
// The use case has locked the question of the stories first, if it changes both; the store has sorted the ids.
UNWIND $uids AS uid
MATCH (s:Story {uid: uid})
WHERE s.scope_id IN $readable
SET s.locked_at = $now
WITH s
RETURN collect(s {
  // part: story_fields(s)
  .uid, .org_id, .scope_id, .question_id, .narrative, .acceptance_criteria, .references, .status, .status_reason,
  .archived_at, created_at: toString(s.created_at), updated_at: toString(s.updated_at), .by_uid, .version, .client_key,
  evidence_ids: COLLECT {
    MATCH (o:Observation)-[link:EVIDENCES]->(s)
    WHERE link.until IS NULL AND o.scope_id IN $readable
    RETURN o.uid ORDER BY link.since, link.position, o.uid
  }
  // end part
}) AS items
