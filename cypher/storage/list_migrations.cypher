// The applied migrations with their checksums, one row.
// mode: read, returns: one, scope: system - the schema belongs to no organisation
CYPHER 25
OPTIONAL MATCH (m:Migration)
RETURN collect(m {.number, .name, .checksum}) AS items
