// How many nodes an organisation has, and how many of them have no id; one row.
// mode: read, returns: one, scope: organisation
CYPHER 25
// A maintenance command: it looks at every node, nobody waits for a page.
MATCH (n)
WHERE n.org_id = $org_id AND NOT n:Importing
RETURN count(*) AS number, count(*) - count(n.uid) AS nameless
