// The number of readable goals that each of some observations is evidence of; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $uids AS uid
MATCH (o:Observation&Memory {uid: uid})-[link:EVIDENCES]->(g:Goal)
WHERE o.scope_id IN $readable AND link.until IS NULL AND (g.scope_id IN $readable
  // part: shared(g) if $grantees
)
WITH uid, count(g) AS number
RETURN collect({uid: uid, number: number}) AS items
