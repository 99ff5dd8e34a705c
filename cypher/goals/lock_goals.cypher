// Locks the readable goals among some ids, so that none changes before the commit; one row.
// mode: write
// scope: caller
// params: uids, readable, now, grantees
// returns: one
CYPHER 25
// The store has sorted the ids: two changes of the same goals wait for each other instead of deadlocking.
UNWIND $uids AS uid
MATCH (g:Goal {uid: uid})
// A goal in another space is found if the goal, or one above it in its space, is shared with the caller; shares are read only for such goals.
WHERE g.scope_id IN $readable
  // part: shared(g) if $grantees
  OR EXISTS {
    MATCH (g)
      (()-[up:CHILD_OF WHERE up.until IS NULL]->()){0,20} (top:Goal)<-[may:MAY]-(actor:Actor)
    WHERE top.scope_id = g.scope_id AND may.until IS NULL AND actor.uid IN $grantees
  }
  // end part
SET g.locked_at = $now
WITH g
RETURN collect(g {
  // part: goal_fields(g)
  .uid, .scope_id, .agent_id, .org_id, .title, .description, .goal_type, .user_id, .origin, .priority, .priority_rank,
  .horizon_value, .horizon_unit, .status, .progress, .metrics, .constraints, .milestones, .status_reason, .completed_at,
  .archived_at, created_at: toString(g.created_at), updated_at: toString(g.updated_at), .by_uid, .version, .client_key,
  violates: coalesce(g.violates, [])
  // end part
}) AS items
