// A page of the goals below a goal, or with a client key, in one of the orders; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
// These are few, so all are read and sorted without an index.
CALL () {
  WITH * WHERE $parent_id IS NOT NULL
  MATCH (parent:Goal {uid: $parent_id})<-[link:CHILD_OF]-(g:Goal)
  WHERE link.until IS NULL AND (parent.scope_id IN $readable
    // part: shared(parent) if $grantees
  ) AND (g.scope_id IN $readable
    // part: shared(g) if $grantees
  ) AND g.status IN $statuses
    // part: goal_filter(g)
  RETURN g
  UNION
  WITH * WHERE $parent_id IS NULL
  UNWIND $readable AS scope_id
  MATCH (g:Goal)
  USING INDEX SEEK g:Goal(scope_id, client_key)
  WHERE g.scope_id = scope_id AND g.client_key = $client_key AND g.status IN $statuses
    // part: goal_filter(g)
  RETURN g
  // only if $grantees
  UNION
  WITH * WHERE $parent_id IS NULL
  // part: shared_goals(g)
    AND g.status IN $statuses
    // part: goal_filter(g)
  RETURN g
  // end only
}
WITH g, CASE $order
  WHEN 'priority' THEN g.priority_rank
  WHEN 'updated_at' THEN g.updated_at.epochSeconds * 1000000 + g.updated_at.microsecond
  ELSE 0
END AS place
WHERE place < $before_place OR place = $before_place AND g.uid < $before_uid
WITH g
ORDER BY place DESC, g.uid DESC
LIMIT $limit
RETURN collect(g {
  // part: goal_fields(g)
}) AS items
