// The conditions of a filter that hold for each pending action alone.
// variables: a
AND ($types IS NULL OR a.type IN $types)
AND ($statuses IS NULL OR a.status IN $statuses)
AND ($blocking IS NULL OR a.blocking = $blocking)
AND ($blocked IS NULL OR $blocked = (
  // part: is_blocked(a)
))
AND ($due_after IS NULL OR a.due_key >= $due_after)
AND ($due_before IS NULL OR a.due_key < $due_before)
