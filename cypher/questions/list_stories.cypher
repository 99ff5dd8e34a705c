// A page of stories by status, newest first, one row.
// mode: read, returns: one, scope: caller
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
}) AS items
