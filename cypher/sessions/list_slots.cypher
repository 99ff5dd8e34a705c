// A page of what a session of the caller holds and held, without any content, newest first; no row if the session is not the caller's.
// mode: read, returns: optional, scope: caller
CYPHER 25
CALL () {
  // part: own_session(s)
}
WITH s
WHERE
  // part: is_own(s)
OPTIONAL MATCH (s)-[h:HOLDS]->(m:Memory)
WHERE h.since < $before_at OR (h.since = $before_at AND m.uid < $before_uid)
WITH s, h, m
ORDER BY h.since DESC, m.uid DESC
LIMIT $limit
RETURN s.uid AS session, collect(h {
  .item_id, memory_uid: m.uid, is_fragment: m:Fragment, redacted: coalesce(h.redacted, false), .salience, .admission_score, .threshold, .reasons, admission_time: toString(h.since),
  last_access: toString(h.last_access), .access_count, left_at: toString(h.until), .left_because, .eviction_score
}) AS items
