// The fields of a question in a context, with its readable goal.
// variables: q
.uid, .scope_id, .by_uid, .text, .priority, .priority_rank, .status,
goal_id: head(COLLECT {
  MATCH (q)-[about:ABOUT]->(g:Goal)
  WHERE about.until IS NULL AND g.scope_id IN $readable
  RETURN g.uid
})
