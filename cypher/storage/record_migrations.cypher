// Remembers that migrations were applied: all of the rows, or none.
// mode: write, returns: none, scope: system - the schema belongs to no organisation
CYPHER 25
UNWIND $rows AS row
MERGE (m:Migration {number: row.number})
SET m.name = row.name, m.checksum = row.checksum, m.created_at = $now
