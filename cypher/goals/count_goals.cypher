// Counts the goals that match a filter, below one goal or all; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
CALL () {
  WITH * WHERE $parent_id IS NULL AND $client_key IS NULL
  UNWIND $readable AS scope_id
  WITH scope_id WHERE $space IS NULL OR scope_id = $space
  UNWIND $statuses AS status
  CALL (scope_id, status) {
    MATCH (g:Goal)
    USING INDEX SEEK g:Goal(scope_id, status, uid)
    // The index is used only if every one of its properties has a condition, hence the one on the id.
    WHERE g.scope_id = scope_id AND g.status = status AND g.uid IS NOT NULL
      // part: goal_filter(g)
    RETURN count(g) AS found
  }
  RETURN sum(found) AS matching
  UNION ALL
  WITH * WHERE $parent_id IS NULL AND $client_key IS NOT NULL
  UNWIND $readable AS scope_id
  MATCH (g:Goal)
  USING INDEX SEEK g:Goal(scope_id, client_key)
  WHERE g.scope_id = scope_id AND g.client_key = $client_key AND g.status IN $statuses
    // part: goal_filter(g)
  RETURN count(g) AS matching
  UNION ALL
  WITH * WHERE $parent_id IS NOT NULL
  MATCH (parent:Goal {uid: $parent_id})<-[link:CHILD_OF]-(g:Goal)
  WHERE link.until IS NULL AND (parent.scope_id IN $readable
    // part: shared(parent) if $grantees
  ) AND (g.scope_id IN $readable
    // part: shared(g) if $grantees
  ) AND g.status IN $statuses
    // part: goal_filter(g)
  RETURN count(g) AS matching
  // only if $grantees
  UNION ALL
  WITH * WHERE $parent_id IS NULL
  // part: shared_goals(g)
    AND g.status IN $statuses AND NOT g.scope_id IN $readable
    // part: goal_filter(g)
  RETURN count(DISTINCT g) AS matching
  // end only
}
RETURN sum(matching) AS total
