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
AND ($mine IS NULL OR a.person_id = $mine)
AND ($client_key IS NULL OR a.client_key = $client_key)
AND ($overdue IS NULL OR $overdue = (a.open AND a.due_key < $overdue_key))
// part: contains_words(a)
