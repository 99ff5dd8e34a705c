// The number of invocations of each of some turns, as far as they are still kept; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $uids AS uid
MATCH (turn:Turn {uid: uid})-[:INVOKED]->(inv:ToolInvocation)
WHERE turn.scope_id IN $readable AND inv.scope_id IN $readable AND inv.uid >= $oldest
WITH uid, count(inv) AS number
RETURN collect({uid: uid, number: number}) AS items
