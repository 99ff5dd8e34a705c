// Locks the readable stories among some ids, so that none changes before the commit; one row.
// mode: write
// scope: caller
// params: uids, readable, now, grantees
// returns: one
CYPHER 25
// The use case has locked the question of the stories first, if it changes both; the store has sorted the ids.
UNWIND $uids AS uid
MATCH (s:Story {uid: uid})
WHERE s.scope_id IN $readable
  // only if $grantees
  OR EXISTS {
    MATCH (s)-[:ANSWERS]->(q:Question)-[about:ABOUT WHERE about.until IS NULL]->(g:Goal)
    // part: shares(g)
      (()-[up:CHILD_OF WHERE up.until IS NULL]->()){0,20} (top:Goal)<-[may:MAY]-(actor:Actor)
    WHERE top.scope_id = g.scope_id AND may.until IS NULL AND actor.uid IN $grantees
    // end part
      AND s.scope_id = q.scope_id AND g.scope_id = q.scope_id
  }
  // end only
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
