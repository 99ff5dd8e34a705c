// A page of the pending actions of a goal, or with a client key, by due time or by utility; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
// These are few, so all are read and sorted without an index.
CALL () {
  WITH * WHERE $goal_id IS NOT NULL
  MATCH (g:Goal {uid: $goal_id})<-[:ADVANCES]-(a:PendingAction)
  // The actions of a shared goal are shared with the goal.
  WHERE ((a.scope_id IN $readable OR a.scope_id = g.scope_id) AND (g.scope_id IN $readable
      // part: shared(g) if $grantees
    )
    // part: own_action(a)
    ) AND a.open IN $open AND a.owner IN $owners
    AND ($space IS NULL OR a.scope_id = $space)
    // part: action_filter(a)
  RETURN a
  UNION
  WITH * WHERE $goal_id IS NULL
  UNWIND $readable AS scope_id
  MATCH (a:PendingAction)
  USING INDEX SEEK a:PendingAction(scope_id, client_key)
  WHERE a.scope_id = scope_id AND a.client_key = $client_key
    AND a.open IN $open AND a.owner IN $owners AND ($space IS NULL OR a.scope_id = $space)
    // part: action_filter(a)
  RETURN a
  // only if $people
  UNION
  // What is for the caller, who is a person, in whatever space it lies.
  WITH * WHERE $goal_id IS NULL
  UNWIND $people AS person_id
  UNWIND $open AS open
  MATCH (a:PendingAction)
  USING INDEX SEEK a:PendingAction(person_id, open, due_key)
  WHERE a.person_id = person_id AND a.open = open AND a.due_key IS NOT NULL
    AND a.owner IN $owners AND ($space IS NULL OR a.scope_id = $space)
    // part: action_filter(a)
  RETURN a
  // end only
  // only if $grantees
  UNION
  WITH * WHERE $goal_id IS NULL
  // part: shared_goals(g)
  MATCH (g)<-[:ADVANCES]-(a:PendingAction)
  WHERE a.scope_id = g.scope_id AND a.open IN $open
    AND a.owner IN $owners AND ($space IS NULL OR a.scope_id = $space)
    // part: action_filter(a)
  RETURN a
  // end only
}
WITH a, CASE WHEN $by_due THEN a.due_key ELSE a.sort_key END AS place
WHERE place > $after_key
WITH a ORDER BY place
LIMIT $limit
RETURN collect(a {
  // part: action_fields(a)
}) AS items
