// Deletes up to a number of checkpoints of sessions that have ended or are not there; one row with their ids.
// mode: write, returns: one, scope: system - whoever runs the service repairs the sessions of every organisation
CYPHER 25
CALL () {
  MATCH (c:Checkpoint)
  WHERE
    // part: is_stray_checkpoint(c)
  RETURN c, c.uid AS uid
  LIMIT $limit
}
DETACH DELETE c
RETURN collect(uid) AS uids
