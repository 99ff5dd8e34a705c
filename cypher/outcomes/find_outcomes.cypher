// The readable outcomes among some ids; one row.
// mode: read
// scope: caller
// params: uids, readable
// returns: one
CYPHER 25
UNWIND $uids AS uid
MATCH (o:Outcome {uid: uid})
WHERE o.scope_id IN $readable
RETURN collect(o {
  // part: outcome_fields(o)
  .uid, .scope_id, .turn_uid, .success, .result, .user_satisfaction, .what_worked, .what_could_improve, .conflicting, .episode_uid, .client_key,
  created_at: toString(o.created_at), .by_uid
  // end part
}) AS items
