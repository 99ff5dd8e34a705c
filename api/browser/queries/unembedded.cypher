// Texts that no search by meaning finds yet
// How many of each kind wait for their vector, as a table. A job makes them; many that stay mean that it does not run.
MATCH (org:Organisation {key: 'demo'})
MATCH (waiting:Unembedded {org_id: org.uid})
RETURN labels(waiting) AS labels, count(*) AS number, min(waiting.created_at) AS oldest
ORDER BY number DESC
