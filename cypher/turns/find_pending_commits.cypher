// The failed parts of commits among some ids; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $uids AS uid
MATCH (p:PendingCommit {uid: uid})
WHERE p.scope_id IN $readable
RETURN collect(p {
  // part: pending_commit_fields(p)
}) AS items
