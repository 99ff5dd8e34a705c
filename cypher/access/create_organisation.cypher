// Creates an organisation with its common space; `created` is false if an organisation with this key exists already.
// mode: write, returns: one, scope: organisation
CYPHER 25
MERGE (org:Organisation {key: $org_key})
  ON CREATE SET org.uid = $uid, org.org_id = $uid, org.name = $name, org.created_at = $now, org.by_uid = $uid,
                org.scope_id = $space_uid
WITH org, org.uid = $uid AS created
MERGE (space:Space {org_id: org.uid, key: 'common'})
  ON CREATE SET space.uid = $space_uid, space.scope_id = $space_uid, space.name = $name + ' (common)',
                space.kind = 'common', space.version = 1, space.created_at = $now, space.by_uid = $uid
MERGE (space)-[:IN]->(org)
// The lock that all who store texts of the space share, and who forgets one has alone.
MERGE (:KeyLock {scope_id: space.uid, key: 'texts'})
RETURN org.uid AS uid, created
