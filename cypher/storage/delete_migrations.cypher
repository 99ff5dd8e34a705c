// Forgets applied migrations, each with its number and its name.
// mode: write, returns: none, scope: system - the schema belongs to no organisation
CYPHER 25
UNWIND $rows AS row
MATCH (m:Migration {number: row.number})
WHERE m.name = row.name
DELETE m
