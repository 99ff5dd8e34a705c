// Or the goal that the question is about is shared with the caller.
// variables: q
OR EXISTS {
  MATCH (q)-[about:ABOUT WHERE about.until IS NULL]->(g:Goal)
  // part: shares(g)
    AND g.scope_id = q.scope_id
}
