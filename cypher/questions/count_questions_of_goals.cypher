// The number of questions about each of some goals; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $uids AS uid
MATCH (g:Goal {uid: uid})<-[about:ABOUT]-(q:Question)
WHERE about.until IS NULL AND q.status IN $statuses AND (q.scope_id IN $readable OR q.scope_id = g.scope_id) AND (g.scope_id IN $readable
  // part: shared(g) if $grantees
)
WITH uid, count(q) AS number
RETURN collect({uid: uid, number: number}) AS items
