// An organisation with all of its spaces, for the operator's commands; no row if it does not exist.
// mode: read, returns: optional, scope: organisation
CYPHER 25
MATCH (org:Organisation {key: $org_key})
MATCH (common:Space {org_id: org.uid, key: 'common'})
CALL (org) {
  MATCH (space:Space)
  WHERE space.org_id = org.uid AND space.key IS NOT NULL
  RETURN collect(space.uid) AS spaces
}
RETURN org.uid AS org_id, coalesce(org.registry_revision, 0) AS registry_revision, common.uid AS home, spaces
