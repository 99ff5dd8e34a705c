// Gives the lease back if the caller still holds it.
// mode: write
// scope: system - jobs and migrations serve every organisation
// params: name, owner
// returns: none
CYPHER 25
MATCH (l:Lease {name: $name})
WHERE l.owner = $owner
SET l.owner = '', l.expires_at = l.touched_at
