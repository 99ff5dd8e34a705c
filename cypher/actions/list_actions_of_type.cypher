// A batch of the actions of a type in a space, open or closed, of one owner, in order of their sort keys; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
MATCH (a:PendingAction)
USING INDEX SEEK a:PendingAction(scope_id, open, owner, sort_key)
WHERE a.scope_id = $scope_id AND a.open = $open AND a.owner = $owner AND a.sort_key > $after_key
  AND a.type = $type_id AND a.scope_id IN $readable
WITH a
// ORDER BY names all four properties, although three are constant here: otherwise the planner does not see that the index has this order.
ORDER BY a.scope_id, a.open, a.owner, a.sort_key
LIMIT $limit
RETURN collect(a {
  // part: action_fields(a)
}) AS items
