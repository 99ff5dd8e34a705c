// The readable pending actions of some goals, in order of creation, one row.
// mode: read
// scope: caller
// params: goal_ids, readable, grantees
// returns: one
CYPHER 25
UNWIND $goal_ids AS goal_id
MATCH (g:Goal {uid: goal_id})<-[:ADVANCES]-(a:PendingAction)
// The actions of a shared goal are shared with the goal.
WHERE (a.scope_id IN $readable OR a.scope_id = g.scope_id) AND (g.scope_id IN $readable
  // part: shared(g) if $grantees
  OR EXISTS {
    MATCH (g)
      (()-[up:CHILD_OF WHERE up.until IS NULL]->()){0,20} (top:Goal)<-[may:MAY]-(actor:Actor)
    WHERE top.scope_id = g.scope_id AND may.until IS NULL AND actor.uid IN $grantees
  }
  // end part
)
WITH a ORDER BY a.uid
RETURN collect(a {
  // part: action_fields(a)
  .uid, .scope_id, .goal_id, .type, .title, .description, .owner, .person_id, .priority, .priority_rank, .effort, .status, .due_at,
  .blocking, .requires_confirmation, .auto_complete, .density, .evidence_refs, .confirmed_by, .confirmed_at, .result,
  .completed_at, .archived_at, .escalated_at, .event_at, .client_key, .metadata, .created_from_turn_id,
  created_at: toString(a.created_at), updated_at: toString(a.updated_at), .by_uid, .version
  // end part
}) AS items
