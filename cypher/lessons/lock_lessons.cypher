// Locks the readable lessons among some ids, in the order of the ids, and returns them; one row.
// mode: write, returns: one, scope: caller
CYPHER 25
UNWIND $uids AS uid
MATCH (m:Lesson&Memory {uid: uid})
WHERE m.scope_id IN $readable
SET m.locked_at = $now
WITH m
RETURN collect(m {
  // part: lesson_fields(m)
}) AS items
