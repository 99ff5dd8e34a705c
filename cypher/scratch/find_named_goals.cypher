// The readable goals among those that new observations name; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $uids AS uid
MATCH (g:Goal {uid: uid})
WHERE g.scope_id IN $readable
  // part: shared(g) if $grantees
RETURN collect(g.uid) AS uids
