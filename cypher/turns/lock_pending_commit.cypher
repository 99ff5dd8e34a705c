// Locks a failed part of a commit until the commit of this transaction, if it is still to be done; no row otherwise.
// mode: write
// scope: caller
// params: uid, unfinished, writable, now
// returns: optional
CYPHER 25
MATCH (p:PendingCommit {uid: $uid})
WHERE p.scope_id IN $writable
// This write locks the node before its status is looked at.
SET p.updated_at = $now
WITH p
WHERE p.status IN $unfinished
RETURN p {
  // part: pending_commit_fields(p)
  .uid, .scope_id, .turn_uid, .turn_id, .store, .status, .attempts, .code, .payload, created_at: toString(p.created_at),
  updated_at: toString(p.updated_at), .by_uid
  // end part
} AS item
