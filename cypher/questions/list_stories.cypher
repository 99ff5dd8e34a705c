// A page of stories by status, newest first, one row.
// mode: read
// scope: caller
// params: readable, grantees, statuses, before_uid, limit
// returns: one
CYPHER 25
CALL () {
  UNWIND $readable AS scope_id
  UNWIND $statuses AS status
  CALL (scope_id, status) {
    MATCH (s:Story)
    USING INDEX SEEK s:Story(scope_id, status, uid)
    WHERE s.scope_id = scope_id AND s.status = status AND s.uid < $before_uid
    RETURN s
    ORDER BY s.scope_id DESC, s.status DESC, s.uid DESC
    LIMIT $limit
  }
  RETURN s
  // only if $grantees
  UNION
  // The stories that answer questions about a shared goal are shared with the goal.
  // part: shared_goals(g)
  UNWIND $grantees AS grantee
  MATCH (:Actor {uid: grantee})-[may:MAY]->(root:Goal)
  WHERE may.until IS NULL
  MATCH (root) (()<-[down:CHILD_OF WHERE down.until IS NULL]-()){0,20} (g:Goal)
  WHERE g.scope_id = root.scope_id
  // end part
  MATCH (g)<-[about:ABOUT WHERE about.until IS NULL]-(q:Question)<-[:ANSWERS]-(s:Story)
  WHERE q.scope_id = g.scope_id AND s.scope_id = q.scope_id AND s.status IN $statuses AND s.uid < $before_uid
  RETURN s
  // end only
}
WITH s
ORDER BY s.uid DESC
LIMIT $limit
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
