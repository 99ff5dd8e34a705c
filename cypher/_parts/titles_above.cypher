// The titles of the readable goals above a goal, the parent first, as `above`.
// variables: g
MATCH p = (g) ((x:Goal)-[link:CHILD_OF]->(y:Goal) WHERE link.until IS NULL AND y.scope_id IN $readable){1,5} (higher:Goal)
WITH higher, length(p) AS distance
ORDER BY distance
WITH collect(higher.title) AS above
