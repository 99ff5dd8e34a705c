// Locks the readable stories among some ids, so that none changes before the commit; one row.
// mode: write, returns: one, scope: caller
CYPHER 25
// The use case has locked the question of the stories first, if it changes both; the store has sorted the ids.
UNWIND $uids AS uid
MATCH (s:Story {uid: uid})
WHERE s.scope_id IN $readable
  // only if $grantees
  OR EXISTS {
    MATCH (s)-[:ANSWERS]->(q:Question)-[about:ABOUT WHERE about.until IS NULL]->(g:Goal)
    // part: shares(g)
      AND s.scope_id = q.scope_id AND g.scope_id = q.scope_id
  }
  // end only
SET s.locked_at = $now
WITH s
RETURN collect(s {
  // part: story_fields(s)
}) AS items
