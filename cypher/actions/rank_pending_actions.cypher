// A page of the best pending actions by utility, those of more relevant goals first among equals; one row, with the sort key where the best end.
// mode: read, returns: one, scope: caller
CYPHER 25
CALL () {
  UNWIND $readable AS scope_id
  WITH scope_id WHERE $space IS NULL OR scope_id = $space
  UNWIND $open AS open
  UNWIND $owners AS owner
  CALL (scope_id, open, owner) {
    MATCH (a:PendingAction)
    USING INDEX SEEK a:PendingAction(scope_id, open, owner, sort_key)
    WHERE a.scope_id = scope_id AND a.open = open AND a.owner = owner
      // Actions before this place were on earlier pages.
      AND a.sort_key >= $after_place AND a.sort_key <= $until
      // part: action_filter(a)
    RETURN a
    // ORDER BY names all four properties, although three are constant here: otherwise the planner does not see that the index has this order.
    ORDER BY a.scope_id, a.open, a.owner, a.sort_key
    LIMIT $best
  }
  RETURN a
  // only if $people
  UNION
  // What is for the caller, who is a person, in whatever space it lies.
  UNWIND $people AS person_id
  UNWIND $open AS open
  CALL (person_id, open) {
    MATCH (a:PendingAction)
    USING INDEX SEEK a:PendingAction(person_id, open, sort_key)
    WHERE a.person_id = person_id AND a.open = open AND a.sort_key >= $after_place AND a.sort_key <= $until
      AND a.owner IN $owners AND ($space IS NULL OR a.scope_id = $space)
      // part: action_filter(a)
    RETURN a
    ORDER BY a.person_id, a.open, a.sort_key
    LIMIT $best
  }
  RETURN a
  // end only
  // only if $grantees
  UNION
  // part: shared_goals(g)
  MATCH (g)<-[:ADVANCES]-(a:PendingAction)
  WHERE a.scope_id = g.scope_id AND a.open IN $open AND a.sort_key >= $after_place AND a.sort_key <= $until
    AND a.owner IN $owners AND ($space IS NULL OR a.scope_id = $space)
    // part: action_filter(a)
  RETURN a
  // end only
}
WITH a
ORDER BY a.sort_key
LIMIT $best
WITH collect(a) AS best
CALL (best) {
  UNWIND best AS a
  // The place is the sort key without the id at its end: actions of equal place are ranked by their goals, then by id.
  WITH a, left(a.sort_key, size(a.sort_key) - size(a.uid)) AS place, coalesce(head(COLLECT {
    MATCH (a)-[:ADVANCES]->(g:Goal)
    WHERE $by_status[g.status] IS NOT NULL AND (g.scope_id IN $readable
      // part: shared(g) if $grantees
    )
    RETURN $per_rank * g.priority_rank + $by_status[g.status] + $by_progress * g.progress
  }), 0.0) AS alignment
  WITH a, place, alignment
  WHERE place > $after_place OR place = $after_place
    AND (alignment < $after_alignment OR alignment = $after_alignment AND a.uid > $after_uid)
  ORDER BY place, alignment DESC, a.uid
  LIMIT $limit
  RETURN collect({alignment: alignment, action: a {
    // part: action_fields(a)
  }}) AS items
}
RETURN items, size(best) = $best AS full, CASE WHEN size(best) > 0 THEN best[size(best) - 1].sort_key END AS last
