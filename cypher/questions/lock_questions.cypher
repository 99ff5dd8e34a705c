// Locks the readable questions among some ids, so that none changes before the commit; one row.
// mode: write, returns: one, scope: caller
CYPHER 25
// The ids must be sorted: two changes of the same questions wait for each other instead of deadlocking.
UNWIND $uids AS uid
MATCH (q:Question {uid: uid})
WHERE q.scope_id IN $readable
  // part: shared_question(q) if $grantees
SET q.locked_at = $now
WITH q
RETURN collect(q {
  // part: question_fields(q)
}) AS items
