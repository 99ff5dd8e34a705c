// Says what became of a failed part of a commit: done, or tried once more in vain; one row with the number of its attempts.
// mode: write, returns: one, scope: caller
CYPHER 25
MATCH (p:PendingCommit {uid: $uid})-[:FAILED_IN]->(turn:Turn)
WHERE p.scope_id IN $writable
SET p.status = $status, p.code = $code, p.attempts = p.attempts + 1, p.updated_at = $now,
    p.payload = CASE WHEN $keeps_payload THEN p.payload END
// This write locks the turn before its summary is looked at: what it quotes may have been forgotten meanwhile.
FOREACH (_ IN CASE WHEN $summary <> $former_summary THEN [1] ELSE [] END | SET turn.updated_at = $now)
WITH p, turn
OPTIONAL MATCH (other:PendingCommit)-[:FAILED_IN]->(turn)
WHERE other.status <> 'committed'
WITH p, turn, count(other) AS left
// A turn that is not committed yet has no status of its commit.
WITH p, turn, left = 0 AND turn.commit_status IS NOT NULL AS is_whole,
     coalesce(turn.summary = $former_summary AND $summary <> $former_summary, false) AS is_told
FOREACH (_ IN CASE WHEN is_whole OR is_told THEN [1] ELSE [] END |
  SET turn.commit_status = CASE WHEN is_whole THEN $commit_status ELSE turn.commit_status END,
      turn.summary = CASE WHEN is_told THEN $summary ELSE turn.summary END,
      turn.updated_at = $now, turn.version = turn.version + 1)
RETURN p.attempts AS attempts
