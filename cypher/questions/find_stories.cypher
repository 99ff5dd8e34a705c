// The readable stories among some ids, each with its readable evidence; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $uids AS uid
MATCH (s:Story {uid: uid})
// The stories of a shared question are shared with the question.
WHERE s.scope_id IN $readable
  // only if $grantees
  OR EXISTS {
    MATCH (s)-[:ANSWERS]->(q:Question)-[about:ABOUT WHERE about.until IS NULL]->(g:Goal)
    // part: shares(g)
      AND s.scope_id = q.scope_id AND g.scope_id = q.scope_id
  }
  // end only
RETURN collect(s {
  // part: story_fields(s)
}) AS items
