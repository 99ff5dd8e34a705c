// Or the record belongs to a goal that is shared with the caller: the goal itself, an action, a question or a story.
// variables: n
OR EXISTS {
  MATCH (n) ((s)-[:ANSWERS]->(q) WHERE s.scope_id = q.scope_id){0,1} (()-[by:ADVANCES|ABOUT WHERE by.until IS NULL]->()){0,1} (g:Goal)
  // part: shares(g)
    AND g.scope_id = n.scope_id
}
