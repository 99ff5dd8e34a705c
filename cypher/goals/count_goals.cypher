// Counts the goals that have one of the statuses; one row.
// mode: read
// scope: caller
// params: readable, statuses, goal_type, grantees
// returns: one
CYPHER 25
UNWIND $readable AS scope_id
UNWIND $statuses AS status
CALL (scope_id, status) {
  MATCH (g:Goal)
  USING INDEX SEEK g:Goal(scope_id, status, priority_rank, uid)
  // The index is used only if every one of its properties has a condition, hence the last two.
  WHERE g.scope_id = scope_id AND g.status = status AND g.priority_rank IS NOT NULL AND g.uid IS NOT NULL
    AND ($goal_type IS NULL OR g.goal_type = $goal_type)
  RETURN count(g) AS matching
}
WITH sum(matching) AS total
// only if $grantees
CALL () {
  // part: shared_goals(g)
  UNWIND $grantees AS grantee
  MATCH (:Actor {uid: grantee})-[may:MAY]->(root:Goal)
  WHERE may.until IS NULL
  MATCH (root) (()<-[down:CHILD_OF WHERE down.until IS NULL]-()){0,20} (g:Goal)
  WHERE g.scope_id = root.scope_id
  // end part
    AND g.status IN $statuses AND NOT g.scope_id IN $readable AND ($goal_type IS NULL OR g.goal_type = $goal_type)
  RETURN count(DISTINCT g) AS shared
}
WITH total + shared AS total
// end only
RETURN total
