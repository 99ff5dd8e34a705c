// Grants an actor of the organisation a permission in a space and ends the actor's earlier grants there.
// mode: write
// scope: organisation
// params: org_id, space_id, kind, key, permission, actor_id, now
// returns: optional
CYPHER 25
MATCH (space:Space {uid: $space_id})
WHERE space.org_id = $org_id
MATCH (actor:Actor {org_id: $org_id, kind: $kind, key: $key})
// This write locks the actor, so that concurrent grants run one after the other.
SET actor.granted_at = $now, space.version = space.version + 1
WITH space, actor
OPTIONAL MATCH (actor)-[old:MAY]->(space)
WHERE old.until IS NULL
WITH space, actor, collect(old) AS olds
FOREACH (old IN olds | SET old.until = $now, old.by = $actor_id)
CREATE (actor)-[:MAY {permission: $permission, granted_by: $actor_id, since: $now, by: $actor_id}]->(space)
RETURN actor.uid AS actor_id, space.version AS version
