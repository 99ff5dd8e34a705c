// The relationships that begin at some nodes of an organisation and end at others of it; one row.
// mode: read, returns: one, scope: organisation
CYPHER 25
UNWIND $refs AS ref
MATCH (n)
WHERE elementId(n) = ref AND n.org_id = $org_id
MATCH (n)-[r]->(m)
WHERE m.org_id = $org_id
RETURN collect({source: ref, type: type(r), target: elementId(m), properties: properties(r)}) AS items
