// The readable goals that each observation is evidence of, oldest link first; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $uids AS uid
MATCH (o:Observation&Memory {uid: uid})-[evidence:EVIDENCES]->(g:Goal)
WHERE o.scope_id IN $readable AND evidence.until IS NULL AND (g.scope_id IN $readable
  // part: shared(g) if $grantees
)
WITH uid, g ORDER BY evidence.since, g.uid
WITH uid, collect(g.uid) AS goals
RETURN collect({uid: uid, goals: goals}) AS items
