// Whether a session holds a memory, or held it when it ended, another one does not hold it, and neither has it redacted.
// variables: s, h, m
(h.until IS NULL OR h.left_because = 'session_ended')
AND NOT m:Fragment AND m.live AND m.scope_id IN $readable AND m.expires_at > $now AND
// part: is_shown(h)
AND NOT EXISTS {
  MATCH (s)-[held:HOLDS]->(m)
  WHERE held.until IS NULL OR NOT
    // part: is_shown(held)
}
