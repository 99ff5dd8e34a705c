// Locks a session of the caller until the commit, for a turn that names it; with the turn of that name, and whether any turn has the name; no row if the session is not the caller's.
// mode: write, returns: optional, scope: caller
CYPHER 25
CALL () {
  // part: own_session(s)
}
WITH s
WHERE
  // part: is_own(s)
// This write locks the session, so that of two calls that begin one turn in it each sees what the other did.
SET s.locked_at = $now
RETURN s.uid AS session, s.status AS status, EXISTS { (:Turn {scope_id: $home, key: $turn_key}) } AS is_taken,
  // part: turn_in_session(s)
  AS turn
