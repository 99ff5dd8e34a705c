// The entities that the readable spaces know by some names; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $readable AS scope_id
UNWIND $keys AS key
MATCH (named:Name {scope_id: scope_id, key: key})
WHERE named.org_id = $org_id
RETURN collect(DISTINCT named {.key, .entity_uid}) AS items
