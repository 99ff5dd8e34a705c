// Memories that a session holds, or held when it ended, and another one does not hold; the most salient first.
// variables: s, o
MATCH (o)-[h:HOLDS]->(m:Memory)
WHERE (h.until IS NULL OR h.left_because = 'session_ended')
  AND NOT m:Fragment AND m.live AND m.scope_id IN $readable AND m.expires_at > $now
  AND NOT EXISTS { (s)-[held:HOLDS]->(m) WHERE held.until IS NULL }
RETURN {
  item_id: h.item_id, memory_uid: m.uid, content: m.content, content_type: h.content_type, entities: h.entities, salience: h.salience
}
ORDER BY h.salience DESC, m.uid
