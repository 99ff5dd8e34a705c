// The readable lessons among some ids; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $uids AS uid
MATCH (m:Lesson&Memory {uid: uid})
WHERE m.scope_id IN $readable
RETURN collect(m {
  // part: lesson_fields(m)
}) AS items
