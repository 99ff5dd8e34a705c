// The number of outcomes of each of some turns; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $uids AS uid
MATCH (turn:Turn {uid: uid})-[:RESULTED_IN]->(o:Outcome)
WHERE turn.scope_id IN $readable AND o.scope_id IN $readable
WITH uid, count(o) AS number
RETURN collect({uid: uid, number: number}) AS items
