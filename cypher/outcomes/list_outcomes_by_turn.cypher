// A page of the readable outcomes of a turn, newest first; one row.
// mode: read
// scope: caller
// params: readable, successes, turn_uid, before_uid, limit
// returns: one
CYPHER 25
OPTIONAL MATCH (turn:Turn {uid: $turn_uid})-[:RESULTED_IN]->(o:Outcome)
WHERE o.scope_id IN $readable AND o.success IN $successes AND o.uid < $before_uid
WITH o
ORDER BY o.uid DESC
LIMIT $limit
RETURN collect(o {
  // part: outcome_fields(o)
  .uid, .scope_id, .turn_uid, .success, .result, .user_satisfaction, .what_worked, .what_could_improve, .conflicting, .episode_uid, .client_key,
  created_at: toString(o.created_at), .by_uid
  // end part
}) AS items
