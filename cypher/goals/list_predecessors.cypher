// A page of the readable goals that each of some goals was derived from, in order of their ids; one row.
// mode: read
// scope: caller
// params: pages, limit, readable, grantees
// returns: one
CYPHER 25
UNWIND $pages AS page
CALL (page) {
  MATCH (derived:Goal {uid: page.uid})-[link:DERIVED_FROM]->(g:Goal)
  WHERE link.until IS NULL AND (derived.scope_id IN $readable
    // part: shared(derived) if $grantees
    OR EXISTS {
      MATCH (derived)
        (()-[up:CHILD_OF WHERE up.until IS NULL]->()){0,20} (top:Goal)<-[may:MAY]-(actor:Actor)
      WHERE top.scope_id = derived.scope_id AND may.until IS NULL AND actor.uid IN $grantees
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
    AND (page.after IS NULL OR g.uid > page.after[0])
  WITH g
  ORDER BY g.uid
  LIMIT $limit
  RETURN collect({key: [g.uid], node: g {
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
