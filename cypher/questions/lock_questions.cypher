// Locks the readable questions among some ids, so that none changes before the commit; one row.
// mode: write
// scope: caller
// params: uids, readable, now, grantees
// returns: one
CYPHER 25
// The ids must be sorted: two changes of the same questions wait for each other instead of deadlocking.
UNWIND $uids AS uid
MATCH (q:Question {uid: uid})
WHERE q.scope_id IN $readable
  // part: shared_question(q) if $grantees
  OR EXISTS {
    MATCH (q)-[about:ABOUT WHERE about.until IS NULL]->(g:Goal)
      (()-[up:CHILD_OF WHERE up.until IS NULL]->()){0,20} (top:Goal)<-[may:MAY]-(actor:Actor)
    WHERE top.scope_id = g.scope_id AND may.until IS NULL AND actor.uid IN $grantees
      AND g.scope_id = q.scope_id
  }
  // end part
SET q.locked_at = $now
WITH q
RETURN collect(q {
  // part: question_fields(q)
  .uid, .org_id, .scope_id, .text, .priority, .priority_rank, .status, .status_reason, .owner, .tags, .archived_at,
  created_at: toString(q.created_at), updated_at: toString(q.updated_at), .by_uid, .version, .client_key,
  goal_id: head(COLLECT {
    MATCH (q)-[about:ABOUT]->(g:Goal)
    WHERE about.until IS NULL AND (g.scope_id IN $readable OR g.scope_id = q.scope_id)
    RETURN g.uid
  })
  // end part
}) AS items
