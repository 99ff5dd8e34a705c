// A page of the questions about each of some goals, most urgent first, newest first among equals; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $pages AS page
CALL (page) {
  MATCH (g:Goal {uid: page.uid})<-[about:ABOUT]-(q:Question)
  // The questions about a shared goal are shared with the goal.
  WHERE about.until IS NULL AND q.status IN $statuses AND (q.scope_id IN $readable OR q.scope_id = g.scope_id) AND (g.scope_id IN $readable
    // part: shared(g) if $grantees
  )
    AND (page.after IS NULL OR q.priority_rank < page.after[0] OR q.priority_rank = page.after[0] AND q.uid < page.after[1])
  WITH page, q
  ORDER BY q.priority_rank DESC, q.uid DESC
  LIMIT $limit
  RETURN collect({key: [q.priority_rank, q.uid], node: q {
    .uid, .org_id, .scope_id, .text, .priority, .priority_rank, .status, .status_reason, .owner, .tags, .archived_at,
    created_at: toString(q.created_at), updated_at: toString(q.updated_at), .by_uid, .version, .client_key,
    goal_id: page.uid
  }}) AS found
}
WITH page, found WHERE size(found) > 0
RETURN collect({number: page.number, found: found}) AS items
