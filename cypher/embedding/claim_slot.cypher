// Gives the slot that searches use to an encoder if no encoder has it.
// mode: write, returns: none, scope: system - the slots belong to the database
CYPHER 25
MERGE (slots:Embedding {name: 'memory'})
  ON CREATE SET slots.serving = 'a', slots.terms = $terms
WITH slots
WHERE slots.a IS NULL AND slots.b IS NULL AND $encoder IS NOT NULL
SET slots.serving = 'a', slots.a = $encoder
