// Accepts what is offered to the caller's actors in a space; one row with the accepted grants and the space's version.
// mode: write, returns: one, scope: organisation - the actors are those of the token
CYPHER 25
UNWIND $actor_ids AS uid
MATCH (actor:Actor {uid: uid})
WHERE actor.org_id = $org_id
// This write locks the actor, as that of a grant does.
SET actor.granted_at = $now
WITH actor
MATCH (actor)-[offer:OFFERED]->(space:Space {uid: $space_id})
WHERE offer.until IS NULL AND space.org_id = $org_id
SET offer.until = $now, offer.by = $actor_id, space.version = space.version + 1
CREATE (actor)-[:MAY {permission: offer.permission, granted_by: offer.granted_by, since: $now, by: $actor_id}]->(space)
RETURN collect({actor_id: actor.uid, permission: offer.permission}) AS accepted, max(space.version) AS version
