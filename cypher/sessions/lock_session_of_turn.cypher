// Locks a session of the caller until the commit, for a turn that names it; with the turn of that name in it, and whether the name stands for a turn of another one; no row if the session is not the caller's.
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
WITH s
OPTIONAL MATCH (known:Turn {uid: $turn_key})
WHERE known.scope_id = $home
WITH s, known
OPTIONAL MATCH (named:Turn {scope_id: $home, key: $turn_key})
RETURN s.uid AS session, s.status AS status, coalesce(known.key,
  // part: turn_in_session(s)
  head(COLLECT {
    MATCH (s)<-[:IN_SESSION]-(turn:Turn)
    WHERE turn.scope_id = $home AND (turn.key = $turn_key OR turn.former_key = $turn_key AND turn.created_at > $free_before)
    RETURN turn.key
    ORDER BY turn.uid DESC
    LIMIT 1
  })
  // end part
) AS turn,
  coalesce(named.uid <> $turn_key AND EXISTS { MATCH (named)-[:IN_SESSION]->(other:Session) WHERE other.uid <> s.uid }, false) AS elsewhere
