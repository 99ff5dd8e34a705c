// The shares of some goals, oldest first; one row. The service has checked that the caller administers the goals.
// mode: read, returns: one, scope: organisation
CYPHER 25
UNWIND $uids AS uid
MATCH (g:Goal {uid: uid})<-[may:MAY]-(actor:Actor)
WHERE g.org_id = $org_id AND may.until IS NULL
WITH uid, may, actor ORDER BY may.since, actor.uid
WITH uid, collect({actor_id: actor.uid, kind: actor.kind, key: actor.key, permission: may.permission,
                   granted_by: may.granted_by, since: may.since}) AS shares
RETURN collect({uid: uid, shares: shares}) AS items
