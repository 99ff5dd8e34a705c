// Remembers that a migration was applied.
// mode: write
// scope: system - the schema belongs to no organisation
// params: number, name, checksum, now
// returns: none
CYPHER 25
MERGE (m:Migration {number: $number})
SET m.name = $name, m.checksum = $checksum, m.created_at = $now
