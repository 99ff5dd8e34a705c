// A page of observations that are evidence of a goal or name its id or key, newest first; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
// Each branch reads its index from the newest observation until the page is full, so that a key of thousands of
// observations costs no more than a page. Each branch has all conditions: a limit before them would lose matches.
CALL () {
  MATCH (g:Goal {uid: $goal_id})<-[evidence:EVIDENCES]-(o:Observation)
  WHERE g.scope_id IN $readable AND evidence.until IS NULL AND o.scope_id IN $readable AND o.uid < $before
    AND NOT o.uid IN $without
    // If both an id and a key are given, both conditions apply.
    AND ($goal_key IS NULL OR o.goal_key = $goal_key)
    AND all(key IN $tag_keys WHERE key IN o.tag_keys)
    // part: observation_filter_with_slices(o)
  RETURN o
  ORDER BY o.uid DESC
  LIMIT $limit
  UNION
  UNWIND $readable AS scope_id
  CALL (scope_id) {
    MATCH (o:Observation)
    USING INDEX SEEK o:Observation(scope_id, context_goal_id, uid)
    WHERE o.scope_id = scope_id AND o.context_goal_id = $goal_id AND o.uid < $before AND o.uid > $since_uid
      AND NOT o.uid IN $without
      AND ($goal_key IS NULL OR o.goal_key = $goal_key)
      AND all(key IN $tag_keys WHERE key IN o.tag_keys)
      // part: observation_filter_with_slices(o)
    RETURN o
    // All three properties, although two are constant here: only then does the planner use the order of the index.
    ORDER BY o.scope_id DESC, o.context_goal_id DESC, o.uid DESC
    LIMIT $limit
  }
  RETURN o
  UNION
  // Only without an id: with an id, the two branches above find all matches.
  UNWIND CASE WHEN $goal_id IS NULL THEN $readable ELSE [] END AS scope_id
  CALL (scope_id) {
    MATCH (o:Observation)
    USING INDEX SEEK o:Observation(scope_id, goal_key, uid)
    WHERE o.scope_id = scope_id AND o.goal_key = $goal_key AND o.uid < $before AND o.uid > $since_uid
      AND NOT o.uid IN $without
      AND all(key IN $tag_keys WHERE key IN o.tag_keys)
      // part: observation_filter_with_slices(o)
    RETURN o
    ORDER BY o.scope_id DESC, o.goal_key DESC, o.uid DESC
    LIMIT $limit
  }
  RETURN o
}
WITH o
ORDER BY o.uid DESC
LIMIT $limit
RETURN collect(o {
  // part: observation_fields(o)
}) AS items
