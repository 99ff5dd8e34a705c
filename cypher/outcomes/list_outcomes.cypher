// A page of the readable outcomes, newest first; one row.
// mode: read
// scope: caller
// params: readable, successes, before_uid, limit
// returns: one
CYPHER 25
UNWIND $readable AS scope_id
UNWIND $successes AS success
CALL (scope_id, success) {
  MATCH (o:Outcome)
  USING INDEX SEEK o:Outcome(scope_id, success, uid)
  WHERE o.scope_id = scope_id AND o.success = success AND o.uid < $before_uid
  RETURN o
  // All properties, although some are constant here: only then does the planner use the order of the index.
  ORDER BY o.scope_id DESC, o.success DESC, o.uid DESC
  LIMIT $limit
}
WITH o
ORDER BY o.uid DESC
LIMIT $limit
RETURN collect(o {
  // part: outcome_fields(o)
  .uid, .scope_id, .turn_uid, .success, .result, .user_satisfaction, .what_worked, .what_could_improve, .conflicting, .episode_uid, .client_key,
  created_at: toString(o.created_at), .by_uid
  // end part
}) AS items
