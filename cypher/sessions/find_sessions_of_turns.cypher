// The caller's sessions that some turns are in; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $uids AS uid
MATCH (turn:Turn {uid: uid})-[:IN_SESSION]->(s:Session)
WHERE turn.scope_id IN $readable AND
  // part: is_own(s)
RETURN collect({of: uid, session: s {
  // part: session_fields(s)
}}) AS items
