// The readable invocations among some ids, without their results, as far as they are still kept; one row.
// mode: read
// scope: caller
// params: uids, readable, oldest
// returns: one
CYPHER 25
UNWIND $uids AS uid
MATCH (inv:ToolInvocation {uid: uid})
WHERE inv.scope_id IN $readable AND inv.uid >= $oldest
RETURN collect(inv {
  // part: invocation_fields(inv)
  .uid, .scope_id, .turn_uid, .tool, .status, .error, .parameters, .execution_time_ms, .execution_time_reported, called_at: toString(inv.called_at),
  .goal_uid, .client_key, .result_preview, .result_bytes, .result_digest, created_at: toString(inv.created_at), .by_uid
  // end part
}) AS items
