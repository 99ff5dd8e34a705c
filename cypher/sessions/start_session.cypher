// Starts a session in a space of the caller; one row with the number started.
// mode: write
// scope: caller
// params: session, writable
// returns: one
CYPHER 25
UNWIND [$session] AS row
WITH row WHERE row.scope_id IN $writable
CREATE (s:Session)
SET s = row
RETURN count(s) AS written
