// A session of the caller, what it holds that the caller may still read and nobody redacted, and the number with what was redacted; no row if it is not the caller's.
// mode: read, returns: optional, scope: caller
CYPHER 25
CALL () {
  // part: own_session(s)
}
WITH s
WHERE
  // part: is_own(s)
RETURN s {
  // part: session_fields(s)
} AS session, COLLECT {
  MATCH (s)-[h:HOLDS]->(m:Memory)
  WHERE h.until IS NULL AND m.live AND m.scope_id IN $readable AND m.expires_at > $now AND
    // part: is_shown(h)
  RETURN h {
    // part: slot_fields(h, m)
  }
} AS held, COUNT {
  MATCH (s)-[h:HOLDS]->(m:Memory)
  WHERE h.until IS NULL AND m.live AND m.scope_id IN $readable AND m.expires_at > $now
} AS number
