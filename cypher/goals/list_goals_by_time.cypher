// A page of goals by status, newest first or, with a time, last changed first; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
CALL () {
  UNWIND $readable AS scope_id
  WITH scope_id WHERE $space IS NULL OR scope_id = $space
  UNWIND $statuses AS status
  CALL (scope_id, status) {
    // In the order of change `created_before` is empty: a condition on `before_at` would be checked after the walk.
    MATCH (g:Goal)
    USING INDEX SEEK g:Goal(scope_id, status, uid)
    WHERE g.scope_id = scope_id AND g.status = status AND g.uid < $created_before
      // part: goal_filter(g)
    RETURN g
    ORDER BY g.scope_id DESC, g.status DESC, g.uid DESC
    LIMIT $limit
    UNION ALL
    // Two walks in the index's order, as in goals/list_goals: the rest of the cursor's own time, then all earlier times.
    // Without a time they find nothing.
    MATCH (g:Goal)
    USING INDEX SEEK g:Goal(scope_id, status, updated_at, uid)
    WHERE g.scope_id = scope_id AND g.status = status AND g.updated_at = $before_at AND g.uid < $before_uid
      // part: goal_filter(g)
    RETURN g
    ORDER BY g.scope_id DESC, g.status DESC, g.updated_at DESC, g.uid DESC
    LIMIT $limit
    UNION ALL
    MATCH (g:Goal)
    USING INDEX SEEK g:Goal(scope_id, status, updated_at, uid)
    WHERE g.scope_id = scope_id AND g.status = status AND g.updated_at < $before_at AND g.uid IS NOT NULL
      // part: goal_filter(g)
    RETURN g
    ORDER BY g.scope_id DESC, g.status DESC, g.updated_at DESC, g.uid DESC
    LIMIT $limit
  }
  RETURN g
  // only if $grantees
  UNION
  // part: shared_goals(g)
    AND g.status IN $statuses
    // part: goal_filter(g)
    AND ($before_at IS NULL AND g.uid < $before_uid
         OR g.updated_at < $before_at OR g.updated_at = $before_at AND g.uid < $before_uid)
  RETURN g
  // end only
}
WITH g
ORDER BY CASE WHEN $before_at IS NOT NULL THEN g.updated_at END DESC, g.uid DESC
LIMIT $limit
RETURN collect(g {
  // part: goal_fields(g)
}) AS items
