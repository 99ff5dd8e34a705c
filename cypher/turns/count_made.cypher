// How much of what a readable turn wrote the caller may read; one row.
// mode: read
// scope: caller
// params: uid, readable, grantees
// returns: one
CYPHER 25
MATCH (turn:Turn {uid: $uid})-[:MADE]->(n)
WHERE turn.scope_id IN $readable AND (n.scope_id IN $readable
  // part: shared_record(n) if $grantees
  OR EXISTS {
    MATCH (n) ((s)-[:ANSWERS]->(q) WHERE s.scope_id = q.scope_id){0,1} (()-[by:ADVANCES|ABOUT WHERE by.until IS NULL]->()){0,1} (g:Goal)
      (()-[up:CHILD_OF WHERE up.until IS NULL]->()){0,20} (top:Goal)<-[may:MAY]-(actor:Actor)
    WHERE top.scope_id = g.scope_id AND may.until IS NULL AND actor.uid IN $grantees
      AND g.scope_id = n.scope_id
  }
  // end part
)
RETURN count(n) AS count
