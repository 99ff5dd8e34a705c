// The ids of all spaces of an organisation; one row.
// mode: read
// scope: organisation
// params: org_id
// returns: one
CYPHER 25
MATCH (space:Space {org_id: $org_id})
RETURN collect(space.uid) AS uids
