// An organisation's id by its key; no row if there is none.
// mode: read, returns: optional, scope: organisation
CYPHER 25
MATCH (org:Organisation {key: $org_key})
RETURN org.uid AS uid
