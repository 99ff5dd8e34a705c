// What a session of the caller holds now and what earlier sessions that it is related to left unfinished, as memories that the caller may still read, for a turn, and the ids of what it has redacted; no row if the session is not the caller's.
// mode: read, returns: optional, scope: caller
CYPHER 25
CALL () {
  // part: own_session(s)
}
WITH s
WHERE s.org_id = $org_id AND
  // part: is_own(s)
RETURN s.uid AS session,
  // part: turn_in_session(s)
  AS turn, COLLECT {
  MATCH (s)-[h:HOLDS]->(m:Memory)
  WHERE h.until IS NULL AND m.live AND m.scope_id IN $readable AND m.org_id = $org_id AND m.expires_at > $now AND
    // part: is_shown(h)
  RETURN m {
    // part: session_memory_fields(h, m)
  }
  ORDER BY h.salience DESC, m.uid
} AS held, COLLECT {
  MATCH (s)-[c:CORRELATES_WITH]-(o:Session)
  WHERE
    // part: is_own_on_any_device(o)
    AND o.uid < s.uid AND s.status <> 'ended'
  WITH s, c, o
  ORDER BY c.correlation_score DESC, o.uid DESC
  LIMIT $related_sessions
  MATCH (o)-[h:HOLDS]->(m:Memory)
  WHERE
    // part: is_unfinished(s, h, m)
  RETURN m {
    // part: session_memory_fields(h, m)
    , session: o.uid, correlation_score: c.correlation_score
  }
  ORDER BY c.correlation_score * h.salience DESC, m.uid
  LIMIT $related
} AS related, COLLECT {
  MATCH (s)-[h:HOLDS]->(m:Memory)
  WHERE NOT
    // part: is_shown(h)
  RETURN DISTINCT m.uid
} AS redacted
