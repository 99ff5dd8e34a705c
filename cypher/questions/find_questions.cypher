// The readable questions among some ids, one row.
// mode: read
// scope: caller
// params: uids, readable
// returns: one
CYPHER 25
UNWIND $uids AS uid
MATCH (q:Question {uid: uid})
WHERE q.scope_id IN $readable
// Times that every one has go as text: the driver is slow to build its own kind of them.
RETURN collect(q {
  .uid, .org_id, .scope_id, .text, .priority, .priority_rank, .status, .status_reason, .owner, .tags, .archived_at,
  created_at: toString(q.created_at), updated_at: toString(q.updated_at), .by_uid, .version, .client_key,
  goal_id: head(COLLECT {
    MATCH (q)-[about:ABOUT]->(g:Goal)
    WHERE about.until IS NULL AND g.scope_id IN $readable
    RETURN g.uid
  })
}) AS items
