// Ends the share of a goal with an actor of the organisation; `ended` is the number of shares ended.
// mode: write, returns: optional, scope: organisation
CYPHER 25
MATCH (actor:Actor {org_id: $org_id, kind: $kind, key: $key})
OPTIONAL MATCH (actor)-[may:MAY]->(g:Goal {uid: $goal_id})
WHERE may.until IS NULL AND g.org_id = $org_id
WITH actor, collect(may) AS ended
FOREACH (may IN ended | SET may.until = $now, may.by = $actor_id)
RETURN actor.uid AS actor_id, size(ended) AS ended
