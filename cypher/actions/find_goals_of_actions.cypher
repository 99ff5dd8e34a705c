// Space, status and writability of the readable goals among some ids, for their actions; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $uids AS uid
MATCH (g:Goal {uid: uid})
WHERE g.scope_id IN $readable
  // part: shared(g) if $grantees
RETURN collect(g {.uid, .scope_id, .status, writable: g.scope_id IN $writable
  // part: shared_for_writing(g) if $grantees
}) AS items
