// Shares a goal with an actor of the organisation, and ends an earlier share with the same actor; no row if there is no such actor.
// mode: write, returns: optional, scope: organisation
CYPHER 25
MATCH (g:Goal {uid: $goal_id})
WHERE g.org_id = $org_id
MATCH (actor:Actor {org_id: $org_id, kind: $kind, key: $key})
OPTIONAL MATCH (actor)-[old:MAY]->(g)
WHERE old.until IS NULL
WITH g, actor, collect(old) AS olds
FOREACH (old IN olds | SET old.until = $now, old.by = $actor_id)
CREATE (actor)-[:MAY {permission: $permission, granted_by: $actor_id, since: $now, by: $actor_id}]->(g)
RETURN actor.uid AS actor_id
