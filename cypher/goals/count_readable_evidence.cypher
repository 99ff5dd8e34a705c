// The number of readable observations linked to each of some goals as evidence; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $uids AS uid
MATCH (g:Goal {uid: uid})<-[link:EVIDENCES]-(o:Observation)
WHERE o.scope_id IN $readable AND link.until IS NULL AND (g.scope_id IN $readable
  // part: shared(g) if $grantees
)
WITH uid, count(o) AS number
RETURN collect({uid: uid, number: number}) AS items
