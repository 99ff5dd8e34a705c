// Gives memories their terms, and the label of those without a vector.
// mode: write
// scope: system - the migration serves every organisation
// params: rows
// returns: none
CYPHER 25
MATCH (slots:Embedding {name: 'memory'})
UNWIND $rows AS row
MATCH (m:Memory {uid: row.uid})
WHERE m.terms IS NULL
SET m.terms = row.terms
// part: unembedded(m, slots)
REMOVE m:Unembedded
FOREACH (_ IN CASE
  WHEN m.searchable_in IS NULL OR CASE slots.serving WHEN 'b' THEN m.embedded_b ELSE m.embedded_a END IS NOT NULL THEN []
  ELSE [1]
END | SET m:Unembedded)
// end part
