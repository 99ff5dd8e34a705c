// References of every node of an organisation, for a copy of it; one row.
// mode: read, returns: one, scope: organisation
CYPHER 25
// A maintenance command: it looks at every node, nobody waits for a page.
MATCH (n)
WHERE n.org_id = $org_id
RETURN collect(elementId(n)) AS refs
