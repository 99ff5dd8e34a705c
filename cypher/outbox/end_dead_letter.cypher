// Says how sending a dead letter again went: the broker has it now, or refused it once more; one row.
// mode: write, returns: one, scope: system - an operator sends those of every organisation
CYPHER 25
CALL () {
  MATCH (e:DeadLetter {uid: $uid})
  SET e.dead_at = $now, e.dead_attempts = e.dead_attempts + 1, e.dead_reason = $reason
  WITH e WHERE $reason IS NULL
  REMOVE e:DeadLetter, e.dead_for, e.dead_at, e.dead_attempts, e.dead_reason
}
RETURN true AS done
