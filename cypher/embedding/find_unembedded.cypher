// Memories, goals, questions and stories without a vector in the slot that searches use, by id; one row, empty if the slot holds another encoder's vectors.
// mode: read, returns: one, scope: system - the job serves every organisation
CYPHER 25
MATCH (slots:Embedding {name: 'memory'})
WHERE CASE slots.serving WHEN 'b' THEN slots.b ELSE slots.a END = $encoder
MATCH (m:Unembedded)
USING INDEX SEEK m:Unembedded(uid)
WHERE m.uid > $after
WITH m
ORDER BY m.uid
LIMIT $limit
RETURN collect(m {.uid, .content, .speaker}) AS items
