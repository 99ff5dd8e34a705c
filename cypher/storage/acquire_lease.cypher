// Who holds the lease now: the caller, if it was free, expired or already the caller's, else another.
// mode: write, returns: one, scope: system - jobs and migrations serve every organisation
CYPHER 25
MERGE (l:Lease {name: $name})
  ON CREATE SET l.fence = 0, l.owner = '', l.expires_at = $now
// When somebody last worked under the lease: a clock that has jumped is seen by the distance. Who only asks for the
// lease may have such a clock. A lease of before `worked_at` has the time at which it was last asked for.
WITH l, coalesce(l.worked_at, l.touched_at) AS last
// The write lock comes before the read of the owner, so two processes cannot both see it free.
SET l.touched_at = $now
// A lease that was given back is free at once, also for a process whose clock is behind.
WITH l, last, l.owner = $owner AS mine, l.owner = '' OR l.expires_at <= $now AS free
// Every change of owner raises the fence; work done under an older fence is refused.
FOREACH (_ IN CASE WHEN free AND NOT mine THEN [1] ELSE [] END | SET l.fence = l.fence + 1, l.owner = $owner)
FOREACH (_ IN CASE WHEN free OR mine THEN [1] ELSE [] END | SET l.expires_at = $now + duration({seconds: $seconds}))
RETURN l.owner AS owner, l.fence AS fence, l.expires_at AS expires_at, last
