// The stories that answer each of some questions, newest first, up to a limit for each; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $question_ids AS question_id
CALL (question_id) {
  MATCH (q:Question {uid: question_id})<-[:ANSWERS]-(s:Story)
  WHERE s.status IN $statuses
    // The questions about a shared goal, and the stories that answer them, are shared with the goal.
    AND (s.scope_id IN $readable OR s.scope_id = q.scope_id) AND (q.scope_id IN $readable
      // part: shared_question(q) if $grantees
    ) AND s.uid < $before_uid
  RETURN s
  ORDER BY s.uid DESC
  LIMIT $limit
}
WITH s
ORDER BY s.uid DESC
RETURN collect(s {
  // part: story_fields(s)
}) AS items
