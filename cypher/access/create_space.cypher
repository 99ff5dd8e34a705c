// Creates a shared space that the caller administers.
// mode: write, returns: none, scope: organisation
CYPHER 25
MATCH (actor:Actor {uid: $actor_id})
MATCH (org:Organisation {uid: $org_id})
CREATE (space:Space {uid: $uid, org_id: $org_id, scope_id: $uid, key: $key, name: $name, kind: 'shared', version: 1,
                     created_at: $now, by_uid: $actor_id})
CREATE (actor)-[:MAY {permission: 'admin', granted_by: $actor_id, since: $now, by: $actor_id}]->(space)
CREATE (space)-[:IN]->(org)
// The lock that all who store texts of the space share, and who forgets one has alone.
MERGE (:KeyLock {scope_id: space.uid, key: 'texts'})
