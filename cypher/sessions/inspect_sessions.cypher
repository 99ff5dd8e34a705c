// Up to a number of sessions after one, as they are stored, by id; one row.
// mode: read, returns: one, scope: system - whoever runs the service checks the sessions of every organisation; texts are read for the strength of the focus alone
CYPHER 25
MATCH (s:Session)
WHERE s.uid > $after_uid
WITH s
ORDER BY s.uid
LIMIT $limit
RETURN collect(
  // part: stored_session(s)
) AS sessions
