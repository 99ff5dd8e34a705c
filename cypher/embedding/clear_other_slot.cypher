// Removes the vectors of a page of all that is searched, by id, from the slot that searches do not use, and labels those that lack the other; one row.
// mode: write, returns: one, scope: system - the slots belong to the database
CYPHER 25
// part: searched_page(m)
MATCH (slots:Embedding {name: 'memory'})
SET m.embedding_a = CASE slots.serving WHEN 'a' THEN m.embedding_a END, m.embedded_a = CASE slots.serving WHEN 'a' THEN m.embedded_a END,
    m.embedding_b = CASE slots.serving WHEN 'b' THEN m.embedding_b END, m.embedded_b = CASE slots.serving WHEN 'b' THEN m.embedded_b END
// part: unembedded(m, slots)
RETURN count(m) AS looked, max(m.uid) AS last_uid
