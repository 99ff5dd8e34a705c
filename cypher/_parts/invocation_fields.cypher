// The fields of a tool invocation, without its result.
// variables: inv
.uid, .scope_id, .turn_uid, .tool, .status, .error, .parameters, .execution_time_ms, .execution_time_reported, called_at: toString(inv.called_at),
.goal_uid, .client_key, .result_preview, .result_bytes, .result_digest, created_at: toString(inv.created_at), .by_uid
