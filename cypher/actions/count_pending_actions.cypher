// Counts the pending actions that match a filter, of one goal or of all; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
CALL () {
  WITH * WHERE $goal_id IS NOT NULL
  MATCH (g:Goal {uid: $goal_id})<-[:ADVANCES]-(a:PendingAction)
  WHERE ((a.scope_id IN $readable OR a.scope_id = g.scope_id) AND (g.scope_id IN $readable
      // part: shared(g) if $grantees
    )
    // part: own_action(a)
    ) AND a.open IN $open AND a.owner IN $owners
    AND ($space IS NULL OR a.scope_id = $space)
    // part: action_filter(a)
  RETURN count(a) AS matching
  UNION ALL
  WITH * WHERE $goal_id IS NULL AND $client_key IS NULL
  UNWIND $readable AS scope_id
  WITH scope_id WHERE $space IS NULL OR scope_id = $space
  UNWIND $open AS open
  UNWIND $owners AS owner
  MATCH (a:PendingAction)
  USING INDEX SEEK a:PendingAction(scope_id, open, owner, due_key)
  WHERE a.scope_id = scope_id AND a.open = open AND a.owner = owner
    AND a.due_key >= $due_after AND a.due_key < $due_before
    // part: action_filter(a)
  RETURN count(a) AS matching
  UNION ALL
  WITH * WHERE $goal_id IS NULL AND $client_key IS NOT NULL
  UNWIND $readable AS scope_id
  MATCH (a:PendingAction)
  USING INDEX SEEK a:PendingAction(scope_id, client_key)
  WHERE a.scope_id = scope_id AND a.client_key = $client_key
    AND a.open IN $open AND a.owner IN $owners AND ($space IS NULL OR a.scope_id = $space)
    // part: action_filter(a)
  RETURN count(a) AS matching
  // only if $people
  UNION ALL
  WITH * WHERE $goal_id IS NULL
  UNWIND $people AS person_id
  UNWIND $open AS open
  MATCH (a:PendingAction)
  USING INDEX SEEK a:PendingAction(person_id, open, due_key)
  WHERE a.person_id = person_id AND a.open = open AND a.due_key >= $due_after AND a.due_key < $due_before
    AND NOT a.scope_id IN $readable AND a.owner IN $owners AND ($space IS NULL OR a.scope_id = $space)
    // part: action_filter(a)
  RETURN count(a) AS matching
  // end only
  // only if $grantees
  UNION ALL
  WITH * WHERE $goal_id IS NULL
  // part: shared_goals(g)
  MATCH (g)<-[:ADVANCES]-(a:PendingAction)
  WHERE a.scope_id = g.scope_id AND a.open IN $open AND NOT a.scope_id IN $readable AND NOT coalesce(a.person_id IN $people, false)
    AND a.owner IN $owners AND ($space IS NULL OR a.scope_id = $space)
    // part: action_filter(a)
  RETURN count(DISTINCT a) AS matching
  // end only
}
RETURN sum(matching) AS total
