// How many nodes and relationships an import has written so far; one row.
// mode: read, returns: one, scope: organisation
CYPHER 25
MATCH (n:Importing)
WHERE n.org_id = $org_id AND n.uid <> 'import_' + $org_id
RETURN count(n) AS nodes, coalesce(sum(COUNT { (n)-->() }), 0) AS links
