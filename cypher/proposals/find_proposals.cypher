// The readable proposals among some ids, one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $uids AS uid
MATCH (p:RegistryProposal {uid: uid})
WHERE p.scope_id IN $readable
RETURN collect(p {
  // part: proposal_fields(p)
}) AS items
