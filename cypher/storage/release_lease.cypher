// Gives the lease back if the caller still holds it.
// mode: write, returns: none, scope: system - jobs and migrations serve every organisation
CYPHER 25
MATCH (l:Lease {name: $name})
WHERE l.owner = $owner
SET l.owner = '', l.expires_at = l.touched_at
