// Deletes a batch of delivered events from before a time, space by space; one row with how many, and how many spaces were looked at.
// mode: write, returns: one, scope: system - retention serves every organisation
CYPHER 25
CALL () {
  MATCH (s:Space)
  USING INDEX SEEK s:Space(uid)
  WHERE s.uid > $after
  RETURN s
  ORDER BY s.uid
  LIMIT $batch
}
// What the broker lacks is not deleted, if there is a broker.
OPTIONAL MATCH (c:EventConsumer {scope_id: s.org_id, key: $published_to})
WITH s, c ORDER BY s.uid
WITH collect({uid: s.uid, upto: CASE WHEN $published_to = '' THEN NULL ELSE coalesce(c.place, 0) END}) AS spaces
CALL (spaces) {
  UNWIND spaces AS space
  WITH space.uid AS scope_id, space.upto AS upto
  CALL (scope_id, upto) {
    MATCH (e:OutboxEvent)
    USING INDEX SEEK e:OutboxEvent(scope_id, uid)
    // An event that has no place in the order of events yet has not been delivered.
    WHERE e.scope_id = scope_id AND e.uid < $before AND NOT e:Unsequenced
      // What no broker took is kept until it is sent again.
      AND NOT e:DeadLetter AND (upto IS NULL OR e.seq <= upto)
    RETURN e
    LIMIT $batch
  }
  WITH e LIMIT $batch
  DELETE e
  RETURN count(*) AS deleted
}
RETURN deleted, size(spaces) AS spaces, last(spaces).uid AS last_uid
