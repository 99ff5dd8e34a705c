// A page of the readable goals that each of some observations is evidence of, oldest link first; one row.
// mode: read
// scope: caller
// params: pages, limit, readable, grantees
// returns: one
CYPHER 25
UNWIND $pages AS page
CALL (page) {
  MATCH (o:Observation&Memory {uid: page.uid})-[link:EVIDENCES]->(g:Goal)
  WHERE o.scope_id IN $readable AND link.until IS NULL AND (g.scope_id IN $readable
    // part: shared(g) if $grantees
    OR EXISTS {
      MATCH (g)
        (()-[up:CHILD_OF WHERE up.until IS NULL]->()){0,20} (top:Goal)<-[may:MAY]-(actor:Actor)
      WHERE top.scope_id = g.scope_id AND may.until IS NULL AND actor.uid IN $grantees
    }
    // end part
  )
  WITH page, link, g, link.since.epochSeconds * 1000000 + link.since.microsecond AS at
  WHERE page.after IS NULL OR at > page.after[0] OR at = page.after[0] AND g.uid > page.after[1]
  WITH link, g, at
  ORDER BY at, g.uid
  LIMIT $limit
  RETURN collect({key: [at, g.uid], confidence: link.confidence, note: link.note, since: toString(link.since), node: g {
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
