// The number of readable entries in the trace of each of some turns; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $uids AS uid
MATCH (turn:Turn {uid: uid})-[:LOGGED]->(entry:TraceEvent)
WHERE turn.scope_id IN $readable AND entry.scope_id IN $readable AND entry.uid >= $oldest
WITH uid, count(*) AS number
RETURN collect({uid: uid, number: number}) AS items
