// A page of the readable goals below each of some goals, most urgent first, newest first among equals; one row.
// mode: read
// scope: caller
// params: pages, limit, readable, grantees
// returns: one
CYPHER 25
UNWIND $pages AS page
CALL (page) {
  MATCH (parent:Goal {uid: page.uid})<-[link:CHILD_OF]-(g:Goal)
  WHERE link.until IS NULL AND (parent.scope_id IN $readable
    // part: shared(parent) if $grantees
    OR EXISTS {
      MATCH (parent)
        (()-[up:CHILD_OF WHERE up.until IS NULL]->()){0,20} (top:Goal)<-[may:MAY]-(actor:Actor)
      WHERE top.scope_id = parent.scope_id AND may.until IS NULL AND actor.uid IN $grantees
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
    AND (page.after IS NULL OR g.priority_rank < page.after[0] OR g.priority_rank = page.after[0] AND g.uid < page.after[1])
  WITH g
  ORDER BY g.priority_rank DESC, g.uid DESC
  LIMIT $limit
  RETURN collect({key: [g.priority_rank, g.uid], node: g {
    // part: goal_fields(g)
    .uid, .scope_id, .agent_id, .org_id, .title, .description, .goal_type, .user_id, .origin, .priority, .priority_rank,
    .horizon_value, .horizon_unit, .status, .progress, .metrics, .constraints, .milestones, .status_reason, .completed_at,
    .archived_at, created_at: toString(g.created_at), updated_at: toString(g.updated_at), .by_uid, .version, .client_key,
    violates: coalesce(g.violates, [])
    // end part
  }}) AS found
}
WITH page, found WHERE size(found) > 0
RETURN collect({number: page.number, found: found}) AS items
