// Whether this process still holds the lease under this fence; locks the lease until the batch is committed. One row.
// mode: write, returns: one, scope: system - jobs serve every organisation
CYPHER 25
MATCH (l:Lease {name: $name})
SET l.touched_at = $now, l.worked_at = $now
RETURN l.owner = $owner AND l.fence = $fence AS held
