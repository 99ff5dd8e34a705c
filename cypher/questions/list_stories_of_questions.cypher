// A page of the stories that answer each of some questions, newest first; one row.
// mode: read
// scope: caller
// params: pages, limit, statuses, readable, grantees
// returns: one
CYPHER 25
UNWIND $pages AS page
CALL (page) {
  MATCH (q:Question {uid: page.uid})<-[:ANSWERS]-(s:Story)
  // The questions about a shared goal, and the stories that answer them, are shared with the goal.
  WHERE s.status IN $statuses AND (s.scope_id IN $readable OR s.scope_id = q.scope_id) AND (q.scope_id IN $readable
    // part: shared_question(q) if $grantees
    OR EXISTS {
      MATCH (q)-[about:ABOUT WHERE about.until IS NULL]->(g:Goal)
        (()-[up:CHILD_OF WHERE up.until IS NULL]->()){0,20} (top:Goal)<-[may:MAY]-(actor:Actor)
      WHERE top.scope_id = g.scope_id AND may.until IS NULL AND actor.uid IN $grantees
        AND g.scope_id = q.scope_id
    }
    // end part
  )
    AND (page.after IS NULL OR s.uid < page.after[0])
  WITH s
  ORDER BY s.uid DESC
  LIMIT $limit
  RETURN collect({key: [s.uid], node: s {
    // part: story_fields(s)
    .uid, .org_id, .scope_id, .question_id, .narrative, .acceptance_criteria, .references, .status, .status_reason,
    .archived_at, created_at: toString(s.created_at), updated_at: toString(s.updated_at), .by_uid, .version, .client_key,
    evidence_ids: COLLECT {
      MATCH (o:Observation)-[link:EVIDENCES]->(s)
      WHERE link.until IS NULL AND o.scope_id IN $readable
      RETURN o.uid ORDER BY link.since, link.position, o.uid
    }
    // end part
  }}) AS found
}
WITH page, found WHERE size(found) > 0
RETURN collect({number: page.number, found: found}) AS items
