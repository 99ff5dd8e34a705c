// A page of questions by status, most urgent first and newest first among equals, one row.
// mode: read, returns: one, scope: caller
CYPHER 25
CALL () {
  UNWIND $readable AS scope_id
  WITH scope_id WHERE $space IS NULL OR scope_id = $space
  UNWIND $statuses AS status
  CALL (scope_id, status) {
    // Two walks in the index's order, as in goals/list_goals: the rest of the cursor's own rank, then all lower ranks.
    MATCH (q:Question)
    USING INDEX SEEK q:Question(scope_id, status, priority_rank, uid)
    WHERE q.scope_id = scope_id AND q.status = status AND q.priority_rank = $before_rank AND q.uid < $before_uid
      AND ($owner IS NULL OR q.owner = $owner) AND all(tag IN $tag_keys WHERE tag IN q.tag_keys)
    RETURN q
    ORDER BY q.scope_id DESC, q.status DESC, q.priority_rank DESC, q.uid DESC
    LIMIT $limit
    UNION ALL
    MATCH (q:Question)
    USING INDEX SEEK q:Question(scope_id, status, priority_rank, uid)
    WHERE q.scope_id = scope_id AND q.status = status AND q.priority_rank < $before_rank AND q.uid IS NOT NULL
      AND ($owner IS NULL OR q.owner = $owner) AND all(tag IN $tag_keys WHERE tag IN q.tag_keys)
    RETURN q
    ORDER BY q.scope_id DESC, q.status DESC, q.priority_rank DESC, q.uid DESC
    LIMIT $limit
  }
  RETURN q
  // only if $grantees
  UNION
  // The questions about a shared goal are shared with the goal.
  // part: shared_goals(g)
  MATCH (g)<-[about:ABOUT WHERE about.until IS NULL]-(q:Question)
  WHERE q.scope_id = g.scope_id AND q.status IN $statuses AND ($space IS NULL OR q.scope_id = $space)
    AND ($owner IS NULL OR q.owner = $owner) AND all(tag IN $tag_keys WHERE tag IN q.tag_keys)
    AND (q.priority_rank < $before_rank OR q.priority_rank = $before_rank AND q.uid < $before_uid)
  RETURN q
  // end only
}
WITH q
ORDER BY q.priority_rank DESC, q.uid DESC
LIMIT $limit
RETURN collect(q {
  // part: question_fields(q)
}) AS items
