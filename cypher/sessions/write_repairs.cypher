// Writes what mends locked sessions: values, slots that are deleted and slots that end; one row with the number of sessions.
// mode: write, returns: one, scope: system - whoever runs the service repairs the sessions of every organisation
CYPHER 25
UNWIND $rows AS row
MATCH (s:Session {uid: row.uid})
SET s += row.session
CALL (s, row) {
  UNWIND row.slots AS slot
  MATCH (s)-[h:HOLDS]->()
  WHERE elementId(h) = slot.ref
  SET h += slot.properties
}
CALL (s, row) {
  MATCH (s)-[h:HOLDS]->()
  WHERE elementId(h) IN row.deleted
  DELETE h
}
CALL (s, row) {
  UNWIND row.left AS slot
  MATCH (s)-[h:HOLDS]->(m)
  WHERE elementId(h) = slot.ref
  SET h.until = $now, h.left_because = slot.reason, h.eviction_score = slot.score
  // part: nameless_slot(h)
  WITH DISTINCT m
  WHERE m:Fragment AND NOT EXISTS { (m)<-[other:HOLDS]-(:Session) WHERE other.until IS NULL }
  // part: destroyed_text(m)
}
CALL (s) {
  // A job writes anew what a session that goes on is about.
  WITH s WHERE s.status = 'active'
  REMOVE s.digest, s.digest_encoder
  SET s.uncorrelated_since = coalesce(s.uncorrelated_since, $now)
}
RETURN count(s) AS written
