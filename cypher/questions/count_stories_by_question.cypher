// Counts the stories that answer some questions and have one of the statuses; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $question_ids AS question_id
MATCH (q:Question {uid: question_id})<-[:ANSWERS]-(s:Story)
WHERE s.status IN $statuses
  // The questions about a shared goal, and the stories that answer them, are shared with the goal.
  AND (s.scope_id IN $readable OR s.scope_id = q.scope_id) AND (q.scope_id IN $readable
    // part: shared_question(q) if $grantees
  )
RETURN count(s) AS total
