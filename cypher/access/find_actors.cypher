// The actors of the organisation among some ids; one row.
// mode: read
// scope: organisation
// params: uids, org_id
// returns: one
CYPHER 25
UNWIND $uids AS uid
MATCH (actor:Actor {uid: uid})
WHERE actor.org_id = $org_id
RETURN collect(actor {.uid, .kind, .key, .name, .home_id}) AS items
