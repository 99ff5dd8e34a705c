// Marks observations whose evaluation failed, so that the next turn of their space evaluates them; one row with the ids of the marked ones.
// mode: write, returns: one, scope: caller
CYPHER 25
UNWIND $uids AS uid
MATCH (o:Observation&Memory {uid: uid})
WHERE o.scope_id IN $writable
SET o.awaits_since = $now
RETURN collect(o.uid) AS uids
