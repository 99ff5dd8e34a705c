// The readable goal that each of some goals is part of; one row.
// mode: read
// scope: caller
// params: uids, readable, grantees
// returns: one
CYPHER 25
UNWIND $uids AS uid
MATCH (child:Goal {uid: uid})-[link:CHILD_OF]->(g:Goal)
WHERE link.until IS NULL AND (child.scope_id IN $readable
  // part: shared(child) if $grantees
  OR EXISTS {
    MATCH (child)
      (()-[up:CHILD_OF WHERE up.until IS NULL]->()){0,20} (top:Goal)<-[may:MAY]-(actor:Actor)
    WHERE top.scope_id = child.scope_id AND may.until IS NULL AND actor.uid IN $grantees
  }
  // end part
) AND (g.scope_id IN $readable
  // part: shared(g) if $grantees
  OR EXISTS {
    MATCH (g)
      (()-[up:CHILD_OF WHERE up.until IS NULL]->()){0,20} (top:Goal)<-[may:MAY]-(actor:Actor)
    WHERE top.scope_id = g.scope_id AND may.until IS NULL AND actor.uid IN $grantees
  }
  // end part
)
RETURN collect({uid: uid, parent: g {
    // part: goal_fields(g)
    .uid, .scope_id, .agent_id, .org_id, .title, .description, .goal_type, .user_id, .origin, .priority, .priority_rank,
    .horizon_value, .horizon_unit, .status, .progress, .metrics, .constraints, .milestones, .status_reason, .completed_at,
    .archived_at, created_at: toString(g.created_at), updated_at: toString(g.updated_at), .by_uid, .version, .client_key,
    violates: coalesce(g.violates, [])
    // end part
  }}) AS items
