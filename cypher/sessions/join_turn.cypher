// Puts a turn into a session of the caller, unless it is in one, and says that the session was used; one row with the number of sessions.
// mode: write, returns: one, scope: caller
CYPHER 25
MATCH (s:Session {uid: $session})
WHERE
  // part: is_own(s)
MATCH (turn:Turn {uid: $turn_uid})
WHERE turn.scope_id IN $writable AND s.scope_id IN $writable
// An ended session ended with its last activity.
SET s.locked_at = $now, s.last_activity = CASE WHEN s.status = 'active' AND s.last_activity < $now THEN $now ELSE s.last_activity END
WITH s, turn
CALL (s, turn) {
  WITH s, turn WHERE NOT EXISTS { (turn)-[:IN_SESSION]->(:Session) }
  CREATE (turn)-[:IN_SESSION]->(s)
}
RETURN count(s) AS sessions
