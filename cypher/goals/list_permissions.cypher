// The permissions that shares give the caller on some goals, each once; one row.
// mode: read
// scope: organisation
// params: uids, grantees, org_id
// returns: one
CYPHER 25
UNWIND $uids AS uid
MATCH (g:Goal {uid: uid})
WHERE g.org_id = $org_id
// A share of a goal covers everything below the goal in the same space.
MATCH (g)
// part: shares(g)
  (()-[up:CHILD_OF WHERE up.until IS NULL]->()){0,20} (top:Goal)<-[may:MAY]-(actor:Actor)
WHERE top.scope_id = g.scope_id AND may.until IS NULL AND actor.uid IN $grantees
// end part
WITH uid, collect(DISTINCT may.permission) AS permissions
RETURN collect({uid: uid, permissions: permissions}) AS items
