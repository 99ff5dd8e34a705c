// A page of the caller's sessions, newest first; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $statuses AS status
CALL (status) {
  MATCH (s:Session)
  USING INDEX SEEK s:Session(scope_id, status, uid)
  WHERE
    // part: is_own(s)
    AND s.status = status AND s.uid < $before
    AND ($key IS NULL OR s.key = $key)
    AND ($entity IS NULL OR EXISTS { (s)-[about:ON]->(:Topic {key: $entity}) WHERE about.entity })
  RETURN s
  ORDER BY s.scope_id DESC, s.status DESC, s.uid DESC
  LIMIT $limit
}
WITH s
ORDER BY s.uid DESC
LIMIT $limit
RETURN collect(s {
  // part: session_fields(s)
}) AS items
