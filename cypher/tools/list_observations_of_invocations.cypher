// A page of the readable observations that each of some invocations resulted in, oldest first; one row.
// mode: read
// scope: caller
// params: pages, limit, readable
// returns: one
CYPHER 25
UNWIND $pages AS page
CALL (page) {
  MATCH (inv:ToolInvocation {uid: page.uid})-[:RESULTED_IN]->(o:Observation)
  WHERE inv.scope_id IN $readable AND o.scope_id IN $readable AND (page.after IS NULL OR o.uid > page.after[0])
  WITH o
  ORDER BY o.uid
  LIMIT $limit
  RETURN collect({key: [o.uid], node: o {
    // part: observation_fields(o)
    .uid, .scope_id, .type, .content, .confidence, .tags, .status, .source_kind, .source_name, .source_turn_id,
    .source_timestamp, .context_goal_id, .goal_key, .user_id, .ttl_minutes, .metadata, .client_key,
    created_at: toString(o.created_at), updated_at: toString(o.updated_at), expires_at: toString(o.expires_at),
    .archived_at, .pinned, .by_uid, .version, .entity_names, .entity_kinds
    // end part
  }}) AS found
}
WITH page, found WHERE size(found) > 0
RETURN collect({number: page.number, found: found}) AS items
