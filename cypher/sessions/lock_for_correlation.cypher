// Locks a session until the commit; the names of what it holds, and what it is about as it was written last; no row if it does not exist.
// mode: write, returns: optional, scope: system - the job serves every organisation
CYPHER 25
MATCH (s:Session {uid: $uid})
SET s.locked_at = $now
RETURN s {
  // part: session_fields(s)
} AS session, COLLECT {
  MATCH (s)-[h:HOLDS]->(m:Memory)
  WHERE h.until IS NULL AND m.live AND m.expires_at > $now AND
    // part: is_shown(h)
  RETURN h {.entities, .themes, is_fragment: m:Fragment}
  ORDER BY h.since, m.uid
} AS held, COLLECT {
  MATCH (s)-[about:ON]->(:Topic)
  RETURN about {.name, .entity, .theme}
  ORDER BY about.name
} AS names, s.digest_encoder AS encoder, s.digest_until IS NOT NULL AS is_kept
