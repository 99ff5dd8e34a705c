// Gives memories the digests of their texts.
// mode: write
// scope: system - a migration serves every organisation
// params: rows
// returns: none
CYPHER 25
UNWIND $rows AS row
MATCH (m:Memory {uid: row.uid})
SET m.text_key = row.text_key
