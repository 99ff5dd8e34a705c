// The number of contradictions of each of some observations that have not ended; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $uids AS uid
MATCH (o:Observation&Memory {uid: uid})-[link:CONTRADICTS]-(other:Observation)
WHERE o.scope_id IN $readable AND link.until IS NULL AND other.scope_id IN $readable
WITH uid, count(link) AS number
RETURN collect({uid: uid, number: number}) AS items
