// Ends the grants of an actor of the organisation on a space, and its offers; `ended` is the number of both.
// mode: write, returns: optional, scope: organisation
CYPHER 25
MATCH (actor:Actor {org_id: $org_id, kind: $kind, key: $key})
SET actor.granted_at = $now
WITH actor
OPTIONAL MATCH (actor)-[may:MAY|OFFERED]->(space:Space {uid: $space_id})
WHERE may.until IS NULL AND space.org_id = $org_id
WITH actor, collect(may) AS ended, collect(space) AS spaces
FOREACH (may IN ended | SET may.until = $now, may.by = $actor_id)
FOREACH (space IN spaces | SET space.version = space.version + 1)
RETURN actor.uid AS actor_id, size(ended) AS ended, spaces[0].version AS version
