// A page of the accesses of a session of the caller, newest first; no row if the session is not the caller's.
// mode: read, returns: optional, scope: caller
CYPHER 25
CALL () {
  // part: own_session(s)
}
WITH s
WHERE
  // part: is_own(s)
RETURN s.uid AS session, COLLECT {
  MATCH (a:AccessLog)
  USING INDEX SEEK a:AccessLog(session_uid, uid)
  // An entry of another organisation may name the session, and is in another space.
  WHERE a.session_uid = s.uid AND a.uid < $before AND a.scope_id = s.scope_id AND a.expires_at > $now AND ($outcome IS NULL OR (a.problem IS NULL) = ($outcome = 'allowed'))
  RETURN a {.uid, .operation, .item_ids, .items, .problem, .by_uid, .agent_id, .person_id, .device_id, at: toString(a.created_at)}
  ORDER BY a.session_uid DESC, a.uid DESC
  LIMIT $limit
} AS items
