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
// end part
