// The actor and the private space of a person by its key; no row if it never used the service.
// mode: read, returns: optional, scope: organisation
CYPHER 25
MATCH (p:Actor {org_id: $org_id, kind: 'person', key: $key})
RETURN p.uid AS uid, p.home_id AS home_id
