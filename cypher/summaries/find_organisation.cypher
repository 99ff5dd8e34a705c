// The organisation with this key; no row if there is none.
// mode: read
// scope: organisation
// params: org_key
// returns: optional
CYPHER 25
MATCH (org:Organisation {key: $org_key})
RETURN org.uid AS uid
