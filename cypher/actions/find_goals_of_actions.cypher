// What actions need to know of the readable goals among some ids, one row.
// mode: read
// scope: caller
// params: uids, readable
// returns: one
CYPHER 25
UNWIND $uids AS uid
MATCH (g:Goal {uid: uid})
WHERE g.scope_id IN $readable
RETURN collect(g {.uid, .scope_id, .status}) AS items
