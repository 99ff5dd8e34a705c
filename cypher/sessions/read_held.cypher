// What a session of the caller holds now, as memories that the caller may still read, for a turn; no row if the session is not the caller's.
// mode: read
// scope: caller
// params: session, scope_id, device_id, readable, home, turn_key, free_before, now
// returns: optional
CYPHER 25
CALL () {
  // part: own_session(s)
  MATCH (s:Session)
  WHERE s.uid = $session
  RETURN s
  UNION
  MATCH (s:Session)
  WHERE s.scope_id = $scope_id AND s.key = $session
  RETURN s
  // end part
}
WITH s
WHERE
  // part: is_own(s)
  s.scope_id = $scope_id AND s.scope_id IN $readable AND coalesce(s.device_id, '') = $device_id
  // end part
RETURN s.uid AS session,
  // part: turn_in_session(s)
  coalesce(
    head(COLLECT { MATCH (turn:Turn {uid: $turn_key}) WHERE turn.scope_id = $home RETURN turn.key }),
    head(COLLECT {
      MATCH (s)<-[:IN_SESSION]-(turn:Turn)
      WHERE turn.scope_id = $home AND (turn.key = $turn_key OR turn.former_key = $turn_key AND turn.created_at > $free_before)
      RETURN turn.key
      ORDER BY turn.uid DESC
      LIMIT 1
    }),
    head(COLLECT { MATCH (turn:Turn {scope_id: $home, key: $turn_key}) WHERE NOT EXISTS { (turn)-[:IN_SESSION]->(:Session) } RETURN turn.key })
  )
  // end part
  AS turn, COLLECT {
  MATCH (s)-[h:HOLDS]->(m:Memory)
  WHERE h.until IS NULL AND m.live AND m.scope_id IN $readable AND m.expires_at > $now
  RETURN m {
    .uid, .scope_id, .by_uid, .kind, .content, .essential, .created_at, .happened_at, .speaker, confidence: CASE WHEN m:Fragment THEN h.confidence ELSE m.confidence END,
    item_id: h.item_id, salience: h.salience, admission_time: h.since,
    // A long one is shown by its first part.
    passage: head(COLLECT { MATCH (m)<-[:PART_OF]-(p:Passage) WHERE p.place = 1 RETURN p {.place, .total, .start, .end} })
  }
  ORDER BY h.salience DESC, m.uid
} AS held
