// A page of the readable pending actions of each of some goals, in order of creation; one row.
// mode: read
// scope: caller
// params: pages, limit, readable, grantees
// returns: one
CYPHER 25
UNWIND $pages AS page
CALL (page) {
  MATCH (g:Goal {uid: page.uid})<-[:ADVANCES]-(a:PendingAction)
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
    AND (page.after IS NULL OR a.uid > page.after[0])
  WITH a
  ORDER BY a.uid
  LIMIT $limit
  RETURN collect({key: [a.uid], node: a {
    // part: action_fields(a)
    .uid, .scope_id, .goal_id, .type, .title, .description, .owner, .person_id, .priority, .priority_rank, .effort, .status, .due_at,
    .blocking, .requires_confirmation, .auto_complete, .density, .evidence_refs, .confirmed_by, .confirmed_at, .result,
    .completed_at, .archived_at, .escalated_at, .event_at, .client_key, .metadata, .created_from_turn_id,
    created_at: toString(a.created_at), updated_at: toString(a.updated_at), .by_uid, .version
    // end part
  }}) AS found
}
WITH page, found WHERE size(found) > 0
RETURN collect({number: page.number, found: found}) AS items
