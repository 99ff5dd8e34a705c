// A page of pending actions by due time, those without one last, one row.
// mode: read, returns: one, scope: caller
CYPHER 25
CALL () {
  UNWIND $readable AS scope_id
  WITH scope_id WHERE $space IS NULL OR scope_id = $space
  UNWIND $open AS open
  UNWIND $owners AS owner
  CALL (scope_id, open, owner) {
    MATCH (a:PendingAction)
    USING INDEX SEEK a:PendingAction(scope_id, open, owner, due_key)
    WHERE a.scope_id = scope_id AND a.open = open AND a.owner = owner AND a.due_key > $after_key AND a.due_key < $until
      // part: action_filter(a)
    RETURN a
    // ORDER BY names all four properties, although three are constant here: otherwise the planner does not see that the index has this order.
    ORDER BY a.scope_id, a.open, a.owner, a.due_key
    LIMIT $limit
  }
  RETURN a
  // only if $people
  UNION
  // What is for the caller, who is a person, in whatever space it lies.
  UNWIND $people AS person_id
  UNWIND $open AS open
  CALL (person_id, open) {
    MATCH (a:PendingAction)
    USING INDEX SEEK a:PendingAction(person_id, open, due_key)
    WHERE a.person_id = person_id AND a.open = open AND a.due_key > $after_key AND a.due_key < $until
      AND a.owner IN $owners AND ($space IS NULL OR a.scope_id = $space)
      // part: action_filter(a)
    RETURN a
    ORDER BY a.person_id, a.open, a.due_key
    LIMIT $limit
  }
  RETURN a
  // end only
  // only if $grantees
  UNION
  // part: shared_goals(g)
  MATCH (g)<-[:ADVANCES]-(a:PendingAction)
  WHERE a.scope_id = g.scope_id AND a.open IN $open AND a.due_key > $after_key
    AND a.owner IN $owners AND ($space IS NULL OR a.scope_id = $space)
    // part: action_filter(a)
  RETURN a
  // end only
}
WITH a
ORDER BY a.due_key
LIMIT $limit
RETURN collect(a {
  // part: action_fields(a)
}) AS items
