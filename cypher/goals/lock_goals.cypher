// Locks the readable goals among some ids, so that none changes before the commit; one row.
// mode: write, returns: one, scope: caller
CYPHER 25
// The store has sorted the ids: two changes of the same goals wait for each other instead of deadlocking.
UNWIND $uids AS uid
MATCH (g:Goal {uid: uid})
// A goal in another space is found if the goal, or one above it in its space, is shared with the caller; shares are read only for such goals.
WHERE g.scope_id IN $readable
  // part: shared(g) if $grantees
SET g.locked_at = $now
WITH g
RETURN collect(g {
  // part: goal_fields(g)
}) AS items
