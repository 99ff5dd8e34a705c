// Ends the grants of the caller's actors on a space, and what is offered to them there; one row.
// mode: write, returns: one, scope: organisation - the actors are those of the token
CYPHER 25
UNWIND $actor_ids AS uid
MATCH (actor:Actor {uid: uid})
WHERE actor.org_id = $org_id AND actor.home_id <> $space_id
// This write locks the actor, as that of a grant does.
SET actor.granted_at = $now
WITH actor
MATCH (actor)-[may:MAY|OFFERED]->(space:Space {uid: $space_id})
WHERE may.until IS NULL AND space.org_id = $org_id
SET may.until = $now, may.by = $actor_id, space.version = space.version + 1
RETURN collect(DISTINCT actor.uid) AS actor_ids, max(space.version) AS version
