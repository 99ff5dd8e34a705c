// The first goals by status that some actors created or that are for one of them, most urgent first and newest first among equals, one row.
// mode: read, returns: one, scope: caller
CYPHER 25
CALL () {
  UNWIND $readable AS scope_id
  UNWIND $statuses AS status
  UNWIND $actors AS actor
  // Two walks in the order of an index, which stop when the page is full: a goal for an agent is one that the
  // agent created, and a goal for a person names the person. ORDER BY names all properties of the index, although
  // some are constant here: otherwise the planner does not see that the index has this order.
  CALL (scope_id, status, actor) {
    MATCH (g:Goal)
    USING INDEX SEEK g:Goal(scope_id, by_uid, status, priority_rank, uid)
    WHERE g.scope_id = scope_id AND g.by_uid = actor AND g.status = status AND g.priority_rank IS NOT NULL AND g.uid IS NOT NULL
    RETURN g
    ORDER BY g.scope_id DESC, g.by_uid DESC, g.status DESC, g.priority_rank DESC, g.uid DESC
    LIMIT $limit
    UNION ALL
    MATCH (g:Goal)
    USING INDEX SEEK g:Goal(scope_id, person_id, status, priority_rank, uid)
    WHERE g.scope_id = scope_id AND g.person_id = actor AND g.status = status AND g.priority_rank IS NOT NULL AND g.uid IS NOT NULL
    RETURN g
    ORDER BY g.scope_id DESC, g.person_id DESC, g.status DESC, g.priority_rank DESC, g.uid DESC
    LIMIT $limit
  }
  RETURN g
  // only if $grantees
  UNION
  // Those in spaces that the caller cannot read are few.
  // part: shared_goals(g)
    AND g.status IN $statuses AND (g.by_uid IN $actors OR g.person_id IN $actors)
  RETURN g
  // end only
}
WITH DISTINCT g
ORDER BY g.priority_rank DESC, g.uid DESC
LIMIT $limit
RETURN collect(g {
  // part: goal_fields(g)
}) AS items
