// The permissions that shares give the caller on some goals, each once; one row.
// mode: read, returns: one, scope: organisation
CYPHER 25
UNWIND $uids AS uid
MATCH (g:Goal {uid: uid})
WHERE g.org_id = $org_id
// A share of a goal covers everything below the goal in the same space.
MATCH (g)
// part: shares(g)
WITH uid, collect(DISTINCT may.permission) AS permissions
RETURN collect({uid: uid, permissions: permissions}) AS items
