// Gives goals, questions and stories what searches find them by, and the label of those without a vector.
// mode: write
// scope: system - the migration serves every organisation
// params: rows
// returns: none
CYPHER 25
UNWIND $rows AS row
MATCH (n:Goal|Question|Story {uid: row.uid})
WHERE n.terms IS NULL
SET n.terms = row.terms, n.kind = row.kind, n.content = row.content, n.searchable_in = row.searchable_in
FOREACH (_ IN CASE WHEN n.searchable_in IS NULL THEN [] ELSE [1] END | SET n:Unembedded)
