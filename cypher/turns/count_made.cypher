// How much of what a readable turn wrote the caller may read; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
MATCH (turn:Turn {uid: $uid})-[:MADE]->(n)
WHERE turn.scope_id IN $readable AND (n.scope_id IN $readable
  // part: shared_record(n) if $grantees
)
RETURN count(n) AS count
