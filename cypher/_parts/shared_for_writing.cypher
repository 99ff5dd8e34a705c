// Or a share lets the caller change the goal.
// variables: g
OR EXISTS {
  MATCH (g)
  // part: shares(g)
    AND may.permission IN ['write', 'admin']
}
