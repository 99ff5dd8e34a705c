// A page of goals by status, most urgent first and newest first among equals, one row.
// mode: read, returns: one, scope: caller
CYPHER 25
CALL () {
  UNWIND $readable AS scope_id
  WITH scope_id WHERE $space IS NULL OR scope_id = $space
  UNWIND $statuses AS status
  CALL (scope_id, status) {
    // First the rest of the cursor's own rank, then all lower ranks: two walks in the index's order instead of
    // one with OR, which would begin at the top of the rank again. ORDER BY names all four properties, although
    // some are constant here: otherwise the planner does not see that the index has this order.
    MATCH (g:Goal)
    USING INDEX SEEK g:Goal(scope_id, status, priority_rank, uid)
    WHERE g.scope_id = scope_id AND g.status = status AND g.priority_rank = $before_rank AND g.uid < $before_uid
      // part: goal_filter(g)
    RETURN g
    ORDER BY g.scope_id DESC, g.status DESC, g.priority_rank DESC, g.uid DESC
    LIMIT $limit
    UNION ALL
    MATCH (g:Goal)
    USING INDEX SEEK g:Goal(scope_id, status, priority_rank, uid)
    WHERE g.scope_id = scope_id AND g.status = status AND g.priority_rank < $before_rank AND g.uid IS NOT NULL
      // part: goal_filter(g)
    RETURN g
    ORDER BY g.scope_id DESC, g.status DESC, g.priority_rank DESC, g.uid DESC
    LIMIT $limit
  }
  RETURN g
  // only if $grantees
  UNION
  // part: shared_goals(g)
    AND g.status IN $statuses
    // part: goal_filter(g)
    AND (g.priority_rank < $before_rank OR (g.priority_rank = $before_rank AND g.uid < $before_uid))
  RETURN g
  // end only
}
WITH g
ORDER BY g.priority_rank DESC, g.uid DESC
LIMIT $limit
RETURN collect(g {
  // part: goal_fields(g)
}) AS items
