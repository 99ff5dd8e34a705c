// The applied migrations with their checksums, one row.
// mode: read
// scope: system - the schema belongs to no organisation
// params: none
// returns: one
CYPHER 25
OPTIONAL MATCH (m:Migration)
RETURN collect(m {.number, .name, .checksum}) AS items
