// The number of readable observations that each of some invocations resulted in; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $uids AS uid
MATCH (inv:ToolInvocation {uid: uid})-[:RESULTED_IN]->(o:Observation)
WHERE inv.scope_id IN $readable AND o.scope_id IN $readable
WITH uid, count(o) AS number
RETURN collect({uid: uid, number: number}) AS items
