// Or the goal that the action advances is shared with the caller.
// variables: a
OR EXISTS {
  MATCH (a)-[:ADVANCES]->(g:Goal)
  // part: shares(g)
    AND g.scope_id = a.scope_id
}
