// The number of all memories, goals, questions and stories, of those without a vector in the slot that searches use, and the length of a stored vector; one row.
// mode: read, returns: one, scope: system - the slots belong to the database
CYPHER 25
OPTIONAL MATCH (slots:Embedding {name: 'memory'})
RETURN COUNT { MATCH (:Memory) } + COUNT { MATCH (:Goal) } + COUNT { MATCH (:Question) } + COUNT { MATCH (:Story) } AS texts,
       COUNT { MATCH (:Unembedded) } AS unembedded,
       head(COLLECT {
         MATCH (m:Memory)
         WHERE m.uid > ''
         WITH m
         ORDER BY m.uid DESC
         LIMIT 1000
         WITH CASE slots.serving WHEN 'b' THEN m.embedding_b ELSE m.embedding_a END AS vector
         WHERE vector IS NOT NULL
         RETURN size(vector)
         LIMIT 1
       }) AS dimensions
