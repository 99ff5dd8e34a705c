// The common space of an organisation, which holds its proposals.
// mode: read, returns: one, scope: organisation
CYPHER 25
MATCH (space:Space {org_id: $org_id, key: 'common'})
RETURN space.uid AS uid
