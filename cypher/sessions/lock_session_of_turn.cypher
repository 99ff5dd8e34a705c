// Locks a session of the caller until the commit, for a turn that names it; with the turn of that name, and whether any turn has the name; no row if the session is not the caller's.
// mode: write
// scope: caller
// params: session, scope_id, device_id, readable, home, turn_key, free_before, now
// returns: optional
CYPHER 25
CALL () {
  // part: own_session(s)
  MATCH (s:Session)
  WHERE s.uid = $session
  RETURN s
  UNION
  MATCH (s:Session)
  WHERE s.scope_id = $scope_id AND s.key = $session
  RETURN s
  // end part
}
WITH s
WHERE
  // part: is_own(s)
  s.scope_id = $scope_id AND s.scope_id IN $readable AND coalesce(s.device_id, '') = $device_id
  // end part
// This write locks the session, so that of two calls that begin one turn in it each sees what the other did.
SET s.locked_at = $now
RETURN s.uid AS session, s.status AS status, EXISTS { (:Turn {scope_id: $home, key: $turn_key}) } AS is_taken,
  // part: turn_in_session(s)
  coalesce(
    head(COLLECT { MATCH (turn:Turn {uid: $turn_key}) WHERE turn.scope_id = $home RETURN CASE WHEN turn.created_at <= $free_before THEN turn.uid ELSE turn.key END }),
    head(COLLECT {
      MATCH (s)<-[:IN_SESSION]-(turn:Turn)
      WHERE turn.scope_id = $home AND (turn.key = $turn_key OR turn.former_key = $turn_key AND turn.created_at > $free_before)
      RETURN turn.key
      ORDER BY turn.uid DESC
      LIMIT 1
    }),
    head(COLLECT { MATCH (turn:Turn {scope_id: $home, key: $turn_key}) WHERE NOT EXISTS { (turn)-[:IN_SESSION]->(:Session) } RETURN turn.key })
  )
  // end part
  AS turn
