// A batch of the proposals of a status of every organisation, in order of their ids; one row.
// mode: read, returns: one, scope: system - the registry that is loaded serves every organisation
CYPHER 25
MATCH (p:RegistryProposal)
USING INDEX SEEK p:RegistryProposal(status, uid)
WHERE p.status = $status AND p.uid > $after
WITH p
ORDER BY p.status, p.uid
LIMIT $batch
RETURN collect(p {
  // part: proposal_fields(p)
}) AS items
