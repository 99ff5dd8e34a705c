// Up to a number of checkpoints of sessions that have ended or are not there; one row.
// mode: read, returns: one, scope: system - whoever runs the service checks the sessions of every organisation; ids alone are read
CYPHER 25
CALL () {
  MATCH (c:Checkpoint)
  WHERE
    // part: is_stray_checkpoint(c)
  RETURN c
  LIMIT $limit
}
RETURN collect(c.uid) AS uids
