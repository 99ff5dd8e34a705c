// Says that the slot that searches do not use holds nothing.
// mode: write, returns: none, scope: system - the slots belong to the database
CYPHER 25
MATCH (slots:Embedding {name: 'memory'})
SET slots.a = CASE slots.serving WHEN 'a' THEN slots.a END, slots.b = CASE slots.serving WHEN 'b' THEN slots.b END
REMOVE slots.after
