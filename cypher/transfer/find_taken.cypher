// Which of some ids other organisations have, also those that are being imported; one row with the first ones.
// mode: read, returns: one, scope: organisation
CYPHER 25
// A maintenance command: it looks at every node, because not every label has an index of ids.
MATCH (n)
WHERE n.uid IN $uids AND coalesce(n.org_id, '') <> $org_id
WITH DISTINCT n.uid AS uid
LIMIT $most
RETURN collect(uid) AS uids
