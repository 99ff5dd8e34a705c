// Creates the missing actors of a token, each with a private space, and grants them access to the common space.
// mode: write, returns: none, scope: organisation
CYPHER 25
MATCH (org:Organisation {key: $org_key})
MATCH (common:Space {org_id: org.uid, key: 'common'})
// `actors` is sorted, so that two concurrent first requests take their locks in the same order.
UNWIND $actors AS row
MERGE (actor:Actor {org_id: org.uid, kind: row.kind, key: row.key})
  ON CREATE SET actor:$(row.label), actor.uid = row.uid, actor.name = row.name, actor.created_at = $now,
                actor.by_uid = row.uid, actor.home_id = row.space_uid, actor.scope_id = row.space_uid
MERGE (space:Space {org_id: org.uid, key: row.kind + ':' + row.key})
  ON CREATE SET space.uid = row.space_uid, space.scope_id = row.space_uid, space.name = row.name,
                space.kind = 'private', space.version = 1, space.created_at = $now, space.by_uid = row.uid
// The lock that all who store texts of the space share, and who forgets one has alone.
MERGE (:KeyLock {scope_id: space.uid, key: 'texts'})
MERGE (actor)-[own:MAY]->(space)
  ON CREATE SET own.permission = 'admin', own.granted_by = row.uid, own.since = $now, own.by = row.uid
MERGE (actor)-[shared:MAY]->(common)
  ON CREATE SET shared.permission = 'write', shared.granted_by = row.uid, shared.since = $now, shared.by = row.uid
WITH DISTINCT org, actor, space
// A MERGE would lock the organisation, also for actors that exist.
UNWIND [actor, space] AS member
WITH org, member
WHERE NOT EXISTS { (member)-[:IN]->(org) }
CREATE (member)-[:IN]->(org)
