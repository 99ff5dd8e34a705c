// The common space of an organisation, where its proposals are.
// mode: read
// scope: organisation
// params: org_id
// returns: one
CYPHER 25
MATCH (space:Space {org_id: $org_id, key: 'common'})
RETURN space.uid AS uid
