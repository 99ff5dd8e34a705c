// Locks some goals until the commit: who completes one of them waits, and then sees what begins to hold it for a person.
// mode: write, returns: none, scope: organisation
CYPHER 25
// The store has sorted the ids: two changes of the same goals wait for each other instead of deadlocking.
UNWIND $uids AS uid
MATCH (g:Goal {uid: uid})
WHERE g.org_id = $org_id
SET g.locked_at = $now
FINISH
