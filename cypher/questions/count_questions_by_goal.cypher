// Counts the questions about some goals that have one of the statuses; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $goal_ids AS goal_id
MATCH (g:Goal {uid: goal_id})<-[about:ABOUT]-(q:Question)
WHERE about.until IS NULL AND q.status IN $statuses
  // The questions about a shared goal are shared with the goal.
  AND (q.scope_id IN $readable OR q.scope_id = g.scope_id) AND (g.scope_id IN $readable
    // part: shared(g) if $grantees
  )
  AND ($owner IS NULL OR q.owner = $owner) AND all(tag IN $tag_keys WHERE tag IN q.tag_keys)
RETURN count(q) AS total
