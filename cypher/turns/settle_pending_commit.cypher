// Says what became of a failed part of a commit: done, or tried once more in vain; one row with the number of its attempts.
// mode: write
// scope: caller
// params: uid, status, code, keeps_payload, commit_status, writable, now
// returns: one
CYPHER 25
MATCH (p:PendingCommit {uid: $uid})-[:FAILED_IN]->(turn:Turn)
WHERE p.scope_id IN $writable
SET p.status = $status, p.code = $code, p.attempts = p.attempts + 1, p.updated_at = $now,
    p.payload = CASE WHEN $keeps_payload THEN p.payload END
WITH p, turn
OPTIONAL MATCH (other:PendingCommit)-[:FAILED_IN]->(turn)
WHERE other.status <> 'committed'
WITH p, turn, count(other) AS left
// A turn that is not committed yet has no status of its commit.
FOREACH (_ IN CASE WHEN left = 0 AND turn.commit_status IS NOT NULL THEN [1] ELSE [] END |
  SET turn.commit_status = $commit_status, turn.updated_at = $now, turn.version = turn.version + 1)
RETURN p.attempts AS attempts
