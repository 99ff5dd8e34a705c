// Locks some pending actions of any organisation, so that none changes before the commit; one row.
// mode: write
// scope: system - jobs serve every organisation
// params: uids, now
// returns: one
CYPHER 25
// The store has sorted the ids: two changes of the same actions wait for each other instead of deadlocking.
UNWIND $uids AS uid
MATCH (a:PendingAction {uid: uid})
SET a.locked_at = $now
WITH a
RETURN collect(a {
  // part: action_fields(a)
  .uid, .scope_id, .goal_id, .type, .title, .description, .owner, .person_id, .priority, .priority_rank, .effort, .status, .due_at,
  .blocking, .requires_confirmation, .auto_complete, .density, .evidence_refs, .confirmed_by, .confirmed_at, .result,
  .completed_at, .archived_at, .escalated_at, .event_at, .client_key, .metadata, .created_from_turn_id,
  created_at: toString(a.created_at), updated_at: toString(a.updated_at), .by_uid, .version
  // end part
  , .org_id,
  // Whose the action becomes if it is handed to the user: the person whose goal it is for, or whose private space it is in.
  heir: coalesce(
    head(COLLECT { MATCH (a)-[:ADVANCES]->(:Goal)-[:FOR]->(p:Actor) WHERE p.kind = 'person' RETURN p.uid ORDER BY p.uid }),
    head(COLLECT {
      MATCH (s:Space {uid: a.scope_id})<-[:MAY]-(p:Actor)
      WHERE p.home_id = s.uid AND p.kind = 'person'
      RETURN p.uid
    })
  )
}) AS items
