// The fields of a question. Times that are never null are text: the driver is slow to build its temporal values.
// variables: q
.uid, .org_id, .scope_id, .text, .priority, .priority_rank, .status, .status_reason, .owner, .tags, .archived_at,
created_at: toString(q.created_at), updated_at: toString(q.updated_at), .by_uid, .version, .client_key,
goal_id: head(COLLECT {
  MATCH (q)-[about:ABOUT]->(g:Goal)
  WHERE about.until IS NULL AND (g.scope_id IN $readable OR g.scope_id = q.scope_id)
  RETURN g.uid
})
