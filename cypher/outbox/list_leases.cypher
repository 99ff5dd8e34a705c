// Who holds the leases of the jobs of events, and until when; one row.
// mode: read, returns: one, scope: system - an operator sees the jobs
CYPHER 25
UNWIND $names AS name
MATCH (l:Lease {name: name})
WITH l ORDER BY l.name
RETURN collect(l {.name, .owner, .fence, .expires_at, .worked_at}) AS items
