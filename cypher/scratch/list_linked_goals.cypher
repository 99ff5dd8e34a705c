// The readable goals each observation is evidence of, oldest link first, one row.
// mode: read
// scope: caller
// params: uids, readable
// returns: one
CYPHER 25
UNWIND $uids AS uid
MATCH (o:Observation&Memory {uid: uid})-[evidence:EVIDENCES]->(g:Goal)
WHERE o.scope_id IN $readable AND g.scope_id IN $readable AND evidence.until IS NULL
WITH uid, g ORDER BY evidence.since, g.uid
WITH uid, collect(g.uid) AS goals
RETURN collect({uid: uid, goals: goals}) AS items
