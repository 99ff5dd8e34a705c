// Some nodes of an organisation with their labels and properties; one row.
// mode: read, returns: one, scope: organisation
CYPHER 25
UNWIND $refs AS ref
MATCH (n)
WHERE elementId(n) = ref AND n.org_id = $org_id
RETURN collect({ref: ref, labels: labels(n), properties: properties(n)}) AS items
