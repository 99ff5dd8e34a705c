// The actors of the organisation among some ids; one row.
// mode: read, returns: one, scope: organisation
CYPHER 25
UNWIND $uids AS uid
MATCH (actor:Actor {uid: uid})
WHERE actor.org_id = $org_id
RETURN collect(actor {.uid, .kind, .key, .name, .home_id}) AS items
