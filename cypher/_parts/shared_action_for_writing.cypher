// Or a share of the goal that the action advances lets the caller change the action.
// variables: a
OR EXISTS {
  MATCH (a)-[:ADVANCES]->(g:Goal)
  // part: shares(g)
    AND g.scope_id = a.scope_id AND may.permission IN ['write', 'admin']
}
