// The number of lessons that each of some outcomes taught or confirmed; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $uids AS uid
MATCH (o:Outcome {uid: uid})-[:TAUGHT|SUPPORTS]->(m:Lesson)
WHERE o.scope_id IN $readable AND m.scope_id IN $readable
WITH uid, count(m) AS number
RETURN collect({uid: uid, number: number}) AS items
