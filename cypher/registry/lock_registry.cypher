// Locks an organisation's registry until the commit, and returns its contents; one row.
// mode: write, returns: one, scope: organisation
CYPHER 25
MATCH (org:Organisation {uid: $org_id})
// Only transactions that change the registry wait for this lock: requests read the organisation node and never write it.
SET org.locked_at = $now
WITH org
MATCH (common:Space {org_id: org.uid, key: 'common'})
CALL () {
  MATCH (t:ActionType)
  USING INDEX SEEK t:ActionType(org_id, type_id)
  WHERE t.org_id = $org_id AND t.type_id IS NOT NULL
  RETURN collect(t {
    // part: override_fields(t)
  }) AS items
}
RETURN coalesce(org.registry_revision, 0) AS revision, common.uid AS scope_id, items
