// The fields of an outcome.
// variables: o
.uid, .scope_id, .turn_uid, .success, .result, .user_satisfaction, .what_worked, .what_could_improve, .conflicting, .episode_uid, .client_key,
created_at: toString(o.created_at), .by_uid
