// The questions about each of some goals, most urgent first and newest first among equals, up to a limit for each; one row.
// mode: read
// scope: caller
// params: goal_ids, readable, statuses, owner, tag_keys, before_rank, before_uid, limit, grantees
// returns: one
CYPHER 25
UNWIND $goal_ids AS goal_id
CALL (goal_id) {
  MATCH (g:Goal {uid: goal_id})<-[about:ABOUT]-(q:Question)
  WHERE about.until IS NULL AND q.status IN $statuses
    // The questions about a shared goal are shared with the goal.
    AND (q.scope_id IN $readable OR q.scope_id = g.scope_id) AND (g.scope_id IN $readable
      // part: shared(g) if $grantees
      OR EXISTS {
        MATCH (g)
          (()-[up:CHILD_OF WHERE up.until IS NULL]->()){0,20} (top:Goal)<-[may:MAY]-(actor:Actor)
        WHERE top.scope_id = g.scope_id AND may.until IS NULL AND actor.uid IN $grantees
      }
      // end part
    )
    AND ($owner IS NULL OR q.owner = $owner) AND all(tag IN $tag_keys WHERE tag IN q.tag_keys)
    AND (q.priority_rank < $before_rank OR q.priority_rank = $before_rank AND q.uid < $before_uid)
  RETURN q
  ORDER BY q.priority_rank DESC, q.uid DESC
  LIMIT $limit
}
WITH q
ORDER BY q.priority_rank DESC, q.uid DESC
RETURN collect(q {
  // part: question_fields(q)
  .uid, .org_id, .scope_id, .text, .priority, .priority_rank, .status, .status_reason, .owner, .tags, .archived_at,
  created_at: toString(q.created_at), updated_at: toString(q.updated_at), .by_uid, .version, .client_key,
  goal_id: head(COLLECT {
    MATCH (q)-[about:ABOUT]->(g:Goal)
    WHERE about.until IS NULL AND (g.scope_id IN $readable OR g.scope_id = q.scope_id)
    RETURN g.uid
  })
  // end part
}) AS items
