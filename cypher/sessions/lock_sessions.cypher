// Locks sessions until the commit and returns them as they are stored; one row.
// mode: write, returns: one, scope: system - whoever runs the service repairs the sessions of every organisation
CYPHER 25
// `uids` is sorted, so that concurrent transactions lock the same sessions in the same order.
UNWIND $uids AS uid
MATCH (s:Session {uid: uid})
// This write locks the session: an update waits for the repair, and the other way round.
SET s.locked_at = $now
WITH s
RETURN collect(
  // part: stored_session(s)
) AS sessions
