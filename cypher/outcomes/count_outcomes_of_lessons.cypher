// The number of outcomes that taught or confirmed each of some lessons; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $uids AS uid
MATCH (m:Lesson&Memory {uid: uid})<-[:TAUGHT|SUPPORTS]-(o:Outcome)
WHERE m.scope_id IN $readable AND o.scope_id IN $readable
WITH uid, count(o) AS number
RETURN collect({uid: uid, number: number}) AS items
