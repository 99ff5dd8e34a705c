// Destroys the texts of sessions that were forgotten in their space, and the names that slots and sessions keep of forgotten memories; one row with the number of slots.
// mode: write, returns: one, scope: caller - a slot keeps names of a memory that the caller may forget, also in another's session; nothing of it is returned
CYPHER 25
CALL () {
  UNWIND $texts AS row
  WITH row WHERE row.scope_id IN $writable
  MATCH (m:Fragment)
  USING INDEX SEEK m:Fragment(scope_id, text_key)
  WHERE m.scope_id = row.scope_id AND m.text_key = row.text_key
  RETURN m
  UNION
  UNWIND $uids AS uid
  MATCH (m:Memory {uid: uid})
  WHERE m.scope_id IN $writable
  RETURN m
}
MATCH (m)<-[h:HOLDS]-(s:Session)
WHERE h.until IS NULL
WITH DISTINCT s
ORDER BY s.uid
// This write waits for whoever has locked the session, who may have read what is forgotten here.
SET s.locked_at = $now
WITH collect(s) AS sessions
CALL (sessions) {
  UNWIND sessions AS s
  MATCH (s)-[h:HOLDS]->(m:Memory)
  WHERE h.until IS NULL AND m.scope_id IN $writable
    AND (m.uid IN $uids OR (m:Fragment AND any(row IN $texts WHERE row.scope_id = m.scope_id AND row.text_key = m.text_key)))
  // Themes of a session are words of what it holds; its next operation finds those of the other items again.
  SET s.dominant_themes = [theme IN s.dominant_themes WHERE NOT theme IN h.themes]
  // part: nameless_slot(h)
  FOREACH (_ IN CASE WHEN m:Fragment THEN [1] ELSE [] END |
    // part: destroyed_text(m)
  )
  RETURN count(h) AS slots
}
CALL (sessions) {
  CALL (sessions) {
    UNWIND sessions AS s
    RETURN s
    UNION
    UNWIND $uids AS uid
    MATCH (m:Memory {uid: uid})<-[:HOLDS]-(s:Session)
    WHERE m.scope_id IN $writable
    RETURN s
  }
  // What a session was about has names of what it holds. A job writes it anew for one that goes on.
  REMOVE s.digest, s.digest_encoder
  SET s.uncorrelated_since = CASE s.status WHEN 'active' THEN $now END
  WITH s
  MATCH (s)-[about:ON]->(t:Topic)
  WITH about, t
  // Sorted, as whoever links to topics locks them.
  ORDER BY t.scope_id, t.key
  DELETE about
  // part: unused_topic(t)
}
RETURN slots
