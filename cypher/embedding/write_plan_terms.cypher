// Gives goals, questions and stories what searches find them by, and the label of those without a vector.
// mode: write
// scope: system - the migration serves every organisation
// params: rows
// returns: none
CYPHER 25
UNWIND $rows AS row
MATCH (n:Goal|Question|Story {uid: row.uid})
WHERE n.terms IS NULL
SET n += row.found_by
FOREACH (_ IN CASE WHEN n.searchable_in IS NULL THEN [] ELSE [1] END | SET n:Unembedded)
