// Removes the vectors of a page of all that is searched, by id, from the slot that searches do not use, and labels those that lack the other; one row.
// mode: write
// scope: system - the slots belong to the database
// params: after, limit
// returns: one
CYPHER 25
// part: searched_page(m)
CALL () {
  MATCH (m:Memory)
  WHERE m.uid > $after
  RETURN m
  ORDER BY m.uid
  LIMIT $limit
  UNION ALL
  MATCH (m:Goal)
  WHERE m.uid > $after
  RETURN m
  ORDER BY m.uid
  LIMIT $limit
  UNION ALL
  MATCH (m:Question)
  WHERE m.uid > $after
  RETURN m
  ORDER BY m.uid
  LIMIT $limit
  UNION ALL
  MATCH (m:Story)
  WHERE m.uid > $after
  RETURN m
  ORDER BY m.uid
  LIMIT $limit
}
WITH m
ORDER BY m.uid
LIMIT $limit
// end part
MATCH (slots:Embedding {name: 'memory'})
SET m.embedding_a = CASE slots.serving WHEN 'a' THEN m.embedding_a END, m.embedded_a = CASE slots.serving WHEN 'a' THEN m.embedded_a END,
    m.embedding_b = CASE slots.serving WHEN 'b' THEN m.embedding_b END, m.embedded_b = CASE slots.serving WHEN 'b' THEN m.embedded_b END
// part: unembedded(m, slots)
REMOVE m:Unembedded
FOREACH (_ IN CASE
  WHEN m.searchable_in IS NULL OR CASE slots.serving WHEN 'b' THEN m.embedded_b ELSE m.embedded_a END IS NOT NULL THEN []
  ELSE [1]
END | SET m:Unembedded)
// end part
RETURN count(m) AS looked, max(m.uid) AS last_uid
