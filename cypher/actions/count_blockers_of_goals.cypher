// The number of readable open blocking actions of each of some goals; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $uids AS uid
MATCH (g:Goal {uid: uid})<-[:ADVANCES]-(a:PendingAction)
WHERE (a.scope_id IN $readable OR a.scope_id = g.scope_id) AND a.open AND a.blocking AND (g.scope_id IN $readable
  // part: shared(g) if $grantees
)
WITH uid, count(a) AS number
RETURN collect({uid: uid, number: number}) AS items
