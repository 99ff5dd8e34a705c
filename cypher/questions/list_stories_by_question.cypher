// The stories that answer each of some questions, newest first, up to a limit for each; one row.
// mode: read
// scope: caller
// params: question_ids, readable, statuses, before_uid, limit, grantees
// returns: one
CYPHER 25
UNWIND $question_ids AS question_id
CALL (question_id) {
  MATCH (q:Question {uid: question_id})<-[:ANSWERS]-(s:Story)
  WHERE s.status IN $statuses
    // The questions about a shared goal, and the stories that answer them, are shared with the goal.
    AND (s.scope_id IN $readable OR s.scope_id = q.scope_id) AND (q.scope_id IN $readable
      // part: shared_question(q) if $grantees
      OR EXISTS {
        MATCH (q)-[about:ABOUT WHERE about.until IS NULL]->(g:Goal)
          (()-[up:CHILD_OF WHERE up.until IS NULL]->()){0,20} (top:Goal)<-[may:MAY]-(actor:Actor)
        WHERE top.scope_id = g.scope_id AND may.until IS NULL AND actor.uid IN $grantees
          AND g.scope_id = q.scope_id
      }
      // end part
    ) AND s.uid < $before_uid
  RETURN s
  ORDER BY s.uid DESC
  LIMIT $limit
}
WITH s
ORDER BY s.uid DESC
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
