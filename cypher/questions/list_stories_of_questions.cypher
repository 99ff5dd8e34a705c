// A page of the stories that answer each of some questions, newest first; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $pages AS page
CALL (page) {
  MATCH (q:Question {uid: page.uid})<-[:ANSWERS]-(s:Story)
  // The questions about a shared goal, and the stories that answer them, are shared with the goal.
  WHERE s.status IN $statuses AND (s.scope_id IN $readable OR s.scope_id = q.scope_id) AND (q.scope_id IN $readable
    // part: shared_question(q) if $grantees
  )
    AND (page.after IS NULL OR s.uid < page.after[0])
  WITH s
  ORDER BY s.uid DESC
  LIMIT $limit
  RETURN collect({key: [s.uid], node: s {
    // part: story_fields(s)
  }}) AS found
}
WITH page, found WHERE size(found) > 0
RETURN collect({number: page.number, found: found}) AS items
