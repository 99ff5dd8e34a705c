// Remembers how far the walk through all memories has come.
// mode: write, returns: none, scope: system - the slots belong to the database
CYPHER 25
MATCH (slots:Embedding {name: 'memory'})
SET slots.after = $after
