// The readable stories among some ids, each with its readable evidence; one row.
// mode: read
// scope: caller
// params: uids, readable, grantees
// returns: one
CYPHER 25
UNWIND $uids AS uid
MATCH (s:Story {uid: uid})
// The stories of a shared question are shared with the question.
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
