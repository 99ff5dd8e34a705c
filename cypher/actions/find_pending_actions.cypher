// The readable pending actions among some ids, one row.
// mode: read
// scope: caller
// params: uids, readable, people, grantees
// returns: one
CYPHER 25
UNWIND $uids AS uid
MATCH (a:PendingAction {uid: uid})
// The actions of a shared goal are shared with the goal.
WHERE a.scope_id IN $readable
  // part: own_action(a)
  OR a.person_id IN $people
  // end part
  // part: shared_action(a) if $grantees
  OR EXISTS {
    MATCH (a)-[:ADVANCES]->(g:Goal)
      (()-[up:CHILD_OF WHERE up.until IS NULL]->()){0,20} (top:Goal)<-[may:MAY]-(actor:Actor)
    WHERE top.scope_id = g.scope_id AND may.until IS NULL AND actor.uid IN $grantees
      AND g.scope_id = a.scope_id
  }
  // end part
RETURN collect(a {
  // part: action_fields(a)
  .uid, .scope_id, .goal_id, .type, .title, .description, .owner, .person_id, .priority, .priority_rank, .effort, .status, .due_at,
  .blocking, .requires_confirmation, .auto_complete, .density, .evidence_refs, .confirmed_by, .confirmed_at, .result,
  .completed_at, .archived_at, .escalated_at, .event_at, .client_key, .metadata, .created_from_turn_id,
  created_at: toString(a.created_at), updated_at: toString(a.updated_at), .by_uid, .version
  // end part
}) AS items
