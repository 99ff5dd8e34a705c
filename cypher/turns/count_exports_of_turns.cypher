// The number of readable StateExports of each of some turns; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $uids AS uid
MATCH (turn:Turn {uid: uid})-[:EXPORTED]->(x:StateExport)
WHERE turn.scope_id IN $readable AND x.scope_id IN $readable AND x.uid >= $oldest
WITH uid, count(x) AS number
RETURN collect({uid: uid, number: number}) AS items
