// The checkpoints of a session of the caller, newest first; no row if the session is not the caller's.
// mode: read, returns: optional, scope: caller
CYPHER 25
CALL () {
  // part: own_session(s)
}
WITH s
WHERE
  // part: is_own(s)
OPTIONAL MATCH (s)-[:SAVED]->(c:Checkpoint)
WITH s, c
ORDER BY c.uid DESC
RETURN s.uid AS session, collect(c {
  // part: checkpoint_fields(c)
}) AS items
