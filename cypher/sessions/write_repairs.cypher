// Writes what mends locked sessions: values, slots that are deleted and slots that end; one row with the number of sessions.
// mode: write
// scope: system - whoever runs the service repairs the sessions of every organisation
// params: rows, now
// returns: one
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
  SET h.entities = [], h.themes = [], h.item_source = null
  // end part
  WITH DISTINCT m
  WHERE m:Fragment AND NOT EXISTS { (m)<-[other:HOLDS]-(:Session) WHERE other.until IS NULL }
  // part: destroyed_text(m)
  SET m.content = '', m.live = false, m.updated_at = $now, m.version = m.version + 1
  REMOVE m.text_key, m.embedding_a, m.embedded_a, m.embedding_b, m.embedded_b, m:Unembedded
  // end part
}
CALL (s) {
  // A job writes anew what a session that goes on is about.
  WITH s WHERE s.status = 'active'
  REMOVE s.digest, s.digest_encoder
  SET s.uncorrelated_since = coalesce(s.uncorrelated_since, $now)
}
RETURN count(s) AS written
