// The proposal that holds a folded name in the organisation, locked until the commit.
// mode: write
// scope: organisation
// params: org_id, name_key, now
// returns: optional
CYPHER 25
MATCH (p:RegistryProposal {org_id: $org_id, name_key: $name_key})
SET p.locked_at = $now
RETURN p.uid AS uid, p.status AS status
