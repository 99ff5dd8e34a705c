// Lets readers go by the places that earlier transactions have given; one row with the last place of each organisation.
// mode: write, returns: one, scope: system - the relay serves every organisation
CYPHER 25
MATCH (counter:Untold)
USING INDEX SEEK counter:Untold(org_id)
WHERE counter.org_id > ''
SET counter.told = counter.seq, counter.unpublished = true, counter.stamped_at = $now
REMOVE counter:Untold
RETURN collect(counter {.org_id, seq: counter.told}) AS items
