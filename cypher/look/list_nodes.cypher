// Some nodes of an organisation with their labels and properties; one row.
// mode: read
// scope: organisation
// params: org_id, refs
// returns: one
CYPHER 25
UNWIND $refs AS ref
MATCH (n)
WHERE elementId(n) = ref AND n.org_id = $org_id
RETURN collect({ref: ref, labels: labels(n), properties: properties(n)}) AS items
