// Up to a number of texts of sessions that no active session holds and that were not destroyed; one row.
// mode: read
// scope: system - whoever runs the service checks the sessions of every organisation; ids alone are read
// params: limit
// returns: one
CYPHER 25
CALL () {
  MATCH (m:Fragment)
  WHERE
    // part: is_stray(m)
    (m.live OR m.content <> '' OR m.text_key IS NOT NULL)
    AND NOT EXISTS { MATCH (m)<-[h:HOLDS]-(s:Session) WHERE h.until IS NULL AND s.status = 'active' }
    // end part
  RETURN m
  LIMIT $limit
}
RETURN collect(m.uid) AS uids
