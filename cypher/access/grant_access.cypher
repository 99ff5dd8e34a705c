// Grants an actor of the organisation a permission in a space, or offers it, and ends the actor's earlier grants and offers there.
// mode: write, returns: optional, scope: organisation
CYPHER 25
MATCH (space:Space {uid: $space_id})
WHERE space.org_id = $org_id
MATCH (actor:Actor {org_id: $org_id, kind: $kind, key: $key})
// This write locks the actor, so that concurrent grants run one after the other.
SET actor.granted_at = $now, space.version = space.version + 1
WITH space, actor
OPTIONAL MATCH (actor)-[old:MAY|OFFERED]->(space)
WHERE old.until IS NULL
WITH space, actor, collect(old) AS olds
// Who has accepted a space need not accept another permission in it.
WITH space, actor, olds, $trusted OR actor.uid IN $own OR any(old IN olds WHERE type(old) = 'MAY') AS accepted
FOREACH (old IN olds | SET old.until = $now, old.by = $actor_id)
FOREACH (_ IN CASE WHEN accepted THEN [1] ELSE [] END |
  CREATE (actor)-[:MAY {permission: $permission, granted_by: $actor_id, since: $now, by: $actor_id}]->(space))
FOREACH (_ IN CASE WHEN accepted THEN [] ELSE [1] END |
  CREATE (actor)-[:OFFERED {permission: $permission, granted_by: $actor_id, since: $now, by: $actor_id}]->(space))
RETURN actor.uid AS actor_id, space.version AS version, accepted
