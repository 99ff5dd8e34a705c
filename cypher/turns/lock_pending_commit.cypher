// Locks a failed part of a commit until the commit of this transaction, if it is still to be done; no row otherwise.
// mode: write, returns: optional, scope: caller
CYPHER 25
MATCH (p:PendingCommit {uid: $uid})-[:FAILED_IN]->(turn:Turn)
WHERE p.scope_id IN $writable
// This write locks the node before its status is looked at.
SET p.updated_at = $now
WITH p, turn
WHERE p.status IN $unfinished
RETURN p {
  // part: pending_commit_fields(p)
} AS item,
       // A turn that took no other's name identifies its deltas by that name.
       turn {.uid, .created_at, .ended_at, handle: turn.key,
             deltas_of: CASE WHEN turn.follows_uid IS NULL THEN coalesce(turn.former_key, turn.key) ELSE turn.uid END,
             session_uid: head(COLLECT { MATCH (turn)-[:IN_SESSION]->(s:Session) RETURN s.uid })} AS turn,
       turn.summary AS summary
