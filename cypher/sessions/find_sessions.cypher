// The caller's sessions among some ids; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $uids AS uid
MATCH (s:Session {uid: uid})
WHERE
  // part: is_own(s)
RETURN collect(s {
  // part: session_fields(s)
}) AS items
