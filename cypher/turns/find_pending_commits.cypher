// The failed parts of commits among some ids; one row.
// mode: read
// scope: caller
// params: uids, readable
// returns: one
CYPHER 25
UNWIND $uids AS uid
MATCH (p:PendingCommit {uid: uid})
WHERE p.scope_id IN $readable
RETURN collect(p {
  // part: pending_commit_fields(p)
  .uid, .scope_id, .turn_uid, .turn_id, .store, .status, .attempts, .code, .payload, created_at: toString(p.created_at),
  updated_at: toString(p.updated_at), .by_uid
  // end part
}) AS items
