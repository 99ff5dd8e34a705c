// Deletes a batch of delivered events from before a time, space by space; one row with how many, and how many spaces were looked at.
// mode: write
// scope: system - retention serves every organisation
// params: before, after, batch
// returns: one
CYPHER 25
CALL () {
  MATCH (s:Space)
  USING INDEX SEEK s:Space(uid)
  WHERE s.uid > $after
  RETURN s
  ORDER BY s.uid
  LIMIT $batch
}
WITH collect(s.uid) AS spaces
CALL (spaces) {
  UNWIND spaces AS scope_id
  CALL (scope_id) {
    MATCH (e:OutboxEvent)
    USING INDEX SEEK e:OutboxEvent(scope_id, uid)
    // An event that has no place in the order of events yet has not been delivered.
    WHERE e.scope_id = scope_id AND e.uid < $before AND NOT e:Unsequenced
    RETURN e
    LIMIT $batch
  }
  WITH e LIMIT $batch
  DELETE e
  RETURN count(*) AS deleted
}
RETURN deleted, size(spaces) AS spaces, last(spaces) AS last_uid
