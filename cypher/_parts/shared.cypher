// Or the goal is shared with the caller: the goal, or one above it in its space.
// variables: g
OR EXISTS {
  MATCH (g)
  // part: shares(g)
}
