// The fields of a pending action in a context, with its readable goal.
// variables: a
.uid, .scope_id, .by_uid, .title, .description, .type, .status, .priority, .priority_rank, .owner, .due_at, .blocking, .sort_key,
goal_id: head(COLLECT {
  MATCH (a)-[:ADVANCES]->(g:Goal)
  WHERE g.scope_id IN $readable
  RETURN g.uid
})
