// Up to a number of texts of sessions that no active session holds and that were not destroyed; one row.
// mode: read, returns: one, scope: system - whoever runs the service checks the sessions of every organisation; ids alone are read
CYPHER 25
CALL () {
  MATCH (m:Fragment)
  WHERE
    // part: is_stray(m)
  RETURN m
  LIMIT $limit
}
RETURN collect(m.uid) AS uids
