// The readable questions among some ids, one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $uids AS uid
MATCH (q:Question {uid: uid})
// The questions about a shared goal are shared with the goal.
WHERE q.scope_id IN $readable
  // part: shared_question(q) if $grantees
RETURN collect(q {
  // part: question_fields(q)
}) AS items
