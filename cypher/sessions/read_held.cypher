// What a session of the caller holds now and what earlier sessions that it is related to left unfinished, as memories that the caller may still read, for a turn, and the ids of what it has redacted; no row if the session is not the caller's.
// mode: read
// scope: caller
// params: session, scope_id, device_id, readable, home, turn_key, free_before, related_sessions, related, now
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
    head(COLLECT { MATCH (turn:Turn {uid: $turn_key}) WHERE turn.scope_id = $home RETURN CASE WHEN turn.created_at <= $free_before THEN turn.uid ELSE turn.key END }),
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
  WHERE h.until IS NULL AND m.live AND m.scope_id IN $readable AND m.expires_at > $now AND
    // part: is_shown(h)
    NOT coalesce(h.redacted, false)
    // end part
  RETURN m {
    // part: held_memory_fields(h, m)
    .uid, .scope_id, .by_uid, .kind, .content, .essential, .created_at, .happened_at, .speaker, confidence: CASE WHEN m:Fragment THEN h.confidence ELSE m.confidence END,
    item_id: h.item_id, salience: h.salience, admission_time: h.since,
    // A long one is shown by its first part.
    passage: head(COLLECT { MATCH (m)<-[:PART_OF]-(p:Passage) WHERE p.place = 1 RETURN p {.place, .total, .start, .end} })
    // end part
  }
  ORDER BY h.salience DESC, m.uid
} AS held, COLLECT {
  MATCH (s)-[c:CORRELATES_WITH]-(o:Session)
  WHERE
    // part: is_own_on_any_device(o)
    o.scope_id = $scope_id AND o.scope_id IN $readable
    AND (coalesce(o.device_id, '') = $device_id OR EXISTS { (:Space {uid: $scope_id, links_devices: true}) })
    // end part
    AND o.uid < s.uid AND s.status <> 'ended'
  WITH s, c, o
  ORDER BY c.correlation_score DESC, o.uid DESC
  LIMIT $related_sessions
  MATCH (o)-[h:HOLDS]->(m:Memory)
  WHERE
    // part: is_unfinished(s, h, m)
    (h.until IS NULL OR h.left_because = 'session_ended')
    AND NOT m:Fragment AND m.live AND m.scope_id IN $readable AND m.expires_at > $now AND
    NOT coalesce(h.redacted, false)
    AND NOT EXISTS {
      MATCH (s)-[held:HOLDS]->(m)
      WHERE held.until IS NULL OR NOT
        NOT coalesce(held.redacted, false)
    }
    // end part
  RETURN m {
    // part: held_memory_fields(h, m)
    .uid, .scope_id, .by_uid, .kind, .content, .essential, .created_at, .happened_at, .speaker, confidence: CASE WHEN m:Fragment THEN h.confidence ELSE m.confidence END,
    item_id: h.item_id, salience: h.salience, admission_time: h.since,
    // A long one is shown by its first part.
    passage: head(COLLECT { MATCH (m)<-[:PART_OF]-(p:Passage) WHERE p.place = 1 RETURN p {.place, .total, .start, .end} })
    // end part
    , session: o.uid, correlation_score: c.correlation_score
  }
  ORDER BY c.correlation_score * h.salience DESC, m.uid
  LIMIT $related
} AS related, COLLECT {
  MATCH (s)-[h:HOLDS]->(m:Memory)
  WHERE NOT
    // part: is_shown(h)
    NOT coalesce(h.redacted, false)
    // end part
  RETURN DISTINCT m.uid
} AS redacted
