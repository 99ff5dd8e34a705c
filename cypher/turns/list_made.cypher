// A page of the ids of what a readable turn wrote, as far as the caller may read it, in order of the ids; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
MATCH (turn:Turn {uid: $uid})-[:MADE]->(n)
WHERE turn.scope_id IN $readable AND n.uid > $after AND (n.scope_id IN $readable
  // part: shared_record(n) if $grantees
)
WITH n.uid AS uid
ORDER BY uid
LIMIT $limit
RETURN collect(uid) AS uids
