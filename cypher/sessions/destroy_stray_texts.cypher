// Destroys up to a number of texts of sessions that no active session holds; one row with their ids. No session ever holds one of them again.
// mode: write, returns: one, scope: system - whoever runs the service repairs the sessions of every organisation
CYPHER 25
CALL () {
  MATCH (m:Fragment)
  WHERE
    // part: is_stray(m)
  RETURN m
  LIMIT $limit
}
// part: destroyed_text(m)
RETURN collect(m.uid) AS uids
