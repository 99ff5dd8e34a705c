// The observations in some spaces that have the given client keys; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $keys AS row
WITH row WHERE row.scope_id IN $writable
MATCH (o:Observation {scope_id: row.scope_id, client_key: row.key})
USING INDEX SEEK o:Observation(scope_id, client_key)
RETURN collect(o {.uid, .client_key, .client_hash}) AS items
