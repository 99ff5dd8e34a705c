// A page of the grants that some actors have not accepted yet, and their number; one row.
// mode: read, returns: one, scope: organisation - the actors are those of the token
CYPHER 25
CALL () {
  UNWIND $actor_ids AS uid
  MATCH (actor:Actor {uid: uid})-[offer:OFFERED]->(space:Space)
  WHERE offer.until IS NULL AND actor.org_id = $org_id
  RETURN count(offer) AS total
}
CALL () {
  UNWIND $actor_ids AS uid
  MATCH (actor:Actor {uid: uid})-[offer:OFFERED]->(space:Space)
  WHERE offer.until IS NULL AND actor.org_id = $org_id
    AND (space.uid > $after_space OR (space.uid = $after_space AND actor.uid > $after_actor))
  WITH actor, offer, space
  ORDER BY space.uid, actor.uid
  LIMIT $limit
  RETURN collect({space_id: space.uid, space_name: space.name, actor_id: actor.uid, permission: offer.permission,
                  granted_by: offer.granted_by, since: offer.since}) AS items
}
RETURN items, total
