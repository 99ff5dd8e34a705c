// Remembers how far the walk through all memories has come.
// mode: write
// scope: system - the slots belong to the database
// params: after
// returns: none
CYPHER 25
MATCH (slots:Embedding {name: 'memory'})
SET slots.after = $after
