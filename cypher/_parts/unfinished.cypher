// Memories that a session holds, or held when it ended, and another one does not hold; the most salient first.
// variables: s, o
MATCH (o)-[h:HOLDS]->(m:Memory)
WHERE
  // part: is_unfinished(s, h, m)
RETURN {
  item_id: h.item_id, memory_uid: m.uid, content: m.content, content_type: h.content_type, entities: h.entities, salience: h.salience
}
ORDER BY h.salience DESC, m.uid
