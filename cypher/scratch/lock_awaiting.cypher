// Locks observations until the commit, and returns which of them wait for an evaluation still; one row.
// mode: write, returns: one, scope: caller
CYPHER 25
// `uids` is sorted, so that two turns that begin at once wait for each other instead of deadlocking.
UNWIND $uids AS uid
MATCH (o:Observation&Memory {uid: uid})
WHERE o.scope_id IN $writable
// This write locks the node before it is looked at.
SET o.linked_at = $now
RETURN collect(CASE WHEN o.awaits_since IS NOT NULL THEN o.uid END) AS uids
