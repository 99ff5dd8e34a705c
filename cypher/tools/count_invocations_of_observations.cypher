// The number of invocations of each of some observations, as far as they are still kept; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $uids AS uid
MATCH (o:Observation&Memory {uid: uid})<-[:RESULTED_IN]-(inv:ToolInvocation)
WHERE o.scope_id IN $readable AND inv.scope_id IN $readable AND inv.uid >= $oldest
WITH uid, count(inv) AS number
RETURN collect({uid: uid, number: number}) AS items
