// The questions about each of some goals, most urgent first and newest first among equals, up to a limit for each; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $goal_ids AS goal_id
CALL (goal_id) {
  MATCH (g:Goal {uid: goal_id})<-[about:ABOUT]-(q:Question)
  WHERE about.until IS NULL AND q.status IN $statuses
    // The questions about a shared goal are shared with the goal.
    AND (q.scope_id IN $readable OR q.scope_id = g.scope_id) AND (g.scope_id IN $readable
      // part: shared(g) if $grantees
    )
    AND ($owner IS NULL OR q.owner = $owner) AND all(tag IN $tag_keys WHERE tag IN q.tag_keys)
    AND (q.priority_rank < $before_rank OR q.priority_rank = $before_rank AND q.uid < $before_uid)
  RETURN q
  ORDER BY q.priority_rank DESC, q.uid DESC
  LIMIT $limit
}
WITH q
ORDER BY q.priority_rank DESC, q.uid DESC
RETURN collect(q {
  // part: question_fields(q)
}) AS items
