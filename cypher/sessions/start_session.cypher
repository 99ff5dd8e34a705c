// Starts a session in a space of the caller; one row with the number started.
// mode: write, returns: one, scope: caller
CYPHER 25
UNWIND [$session] AS row
WITH row WHERE row.scope_id IN $writable
CREATE (s:Session)
SET s = row, s.uncorrelated_since = row.created_at, s.task_embedding = $task_vector, s.task_encoder = CASE WHEN $task_vector IS NOT NULL THEN $encoder END
RETURN count(s) AS written
