// What a turn has done until its commit, what it is compared with, and the failed parts of earlier commits of its space; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
CALL () {
  MATCH (turn:Turn {scope_id: $home, key: $turn_key})
  RETURN turn
  UNION
  MATCH (turn:Turn {uid: $turn_key})
  WHERE turn.scope_id = $home
  RETURN turn
}
WITH collect(turn)[0] AS turn
CALL (turn) {
  MATCH (turn)-[:INVOKED]->(inv:ToolInvocation)
  WHERE inv.scope_id IN $readable AND inv.uid >= $oldest
  WITH inv
  ORDER BY inv.uid
  LIMIT $most
  RETURN collect({
    origin: inv.uid, tool: inv.tool, parameters: inv.parameters, error: inv.error, preview: inv.result_preview, digest: inv.result_digest,
    milliseconds: inv.execution_time_ms, called_at: toString(inv.called_at), goal_uid: inv.goal_uid, client_key: inv.client_key, counted: inv.outcome_uid IS NOT NULL
  }) AS called
}
CALL (turn) {
  MATCH (turn)-[:MADE]->(o:Observation)
  WHERE o.scope_id IN $readable AND o.status IN ['active', 'resolved']
  WITH o
  ORDER BY o.uid
  LIMIT $most
  RETURN collect({
    origin: o.uid, uid: o.uid, content: o.content, type: o.type, confidence: o.confidence, tags: o.tags, user_id: o.user_id,
    goal_uids: [(o)-[link:EVIDENCES]->(g:Goal) WHERE link.until IS NULL AND g.scope_id IN $readable | g.uid]
      + CASE WHEN o.context_goal_id IS NULL THEN [] ELSE [o.context_goal_id] END,
    due: o.status = 'active' AND (o.context_goal_id IS NOT NULL OR o.goal_key IS NOT NULL OR o.awaits_since IS NOT NULL)
      AND NOT EXISTS { (o)-[link:EVIDENCES]->() WHERE link.until IS NULL }
  }) AS noticed
}
CALL (turn) {
  MATCH (turn)-[:RECEIVED]->(receipt:ContextReceipt)
  WHERE receipt.scope_id IN $readable
  RETURN coalesce(sum(receipt.used), 0) AS budget_used, coalesce(sum(receipt.budget), 0) AS budget_total
}
CALL () {
  UNWIND $readable AS scope_id
  UNWIND $active_statuses AS status
  CALL (scope_id, status) {
    MATCH (g:Goal)
    USING INDEX SEEK g:Goal(scope_id, status, priority_rank, uid)
    WHERE g.scope_id = scope_id AND g.status = status AND g.priority_rank IS NOT NULL AND g.uid IS NOT NULL
    RETURN g
    ORDER BY g.scope_id DESC, g.status DESC, g.priority_rank DESC, g.uid DESC
    LIMIT $goals
  }
  WITH g
  ORDER BY g.priority_rank DESC, g.uid DESC
  LIMIT $goals
  RETURN collect({uid: g.uid, topics: [(g)-[:ON]->(topic:Topic) | topic.key]}) AS goals
}
CALL (turn) {
  MATCH (before:Turn)
  USING INDEX SEEK before:Turn(scope_id, uid)
  WHERE before.scope_id = $home AND before.uid < coalesce(turn.uid, 'turn_~')
  WITH before
  ORDER BY before.scope_id DESC, before.uid DESC
  LIMIT $recent
  CALL (before) {
    MATCH (before)-[:INVOKED]->(inv:ToolInvocation)
    WHERE inv.scope_id IN $readable AND inv.uid >= $oldest
    WITH inv
    ORDER BY inv.uid
    LIMIT $most
    RETURN collect({
      origin: inv.uid, tool: inv.tool, parameters: null, error: inv.error, preview: '', digest: '', milliseconds: 0, called_at: null,
      goal_uid: null, client_key: null, counted: true
    }) AS calls
  }
  RETURN collect({uid: before.uid, calls: calls}) AS recent
}
CALL () {
  UNWIND $unfinished AS status
  CALL (status) {
    MATCH (p:PendingCommit)
    USING INDEX SEEK p:PendingCommit(scope_id, status, uid)
    WHERE p.scope_id = $home AND $home IN $readable AND p.status = status AND p.uid IS NOT NULL
    RETURN p
    // A part that fails again goes behind the others, so that it keeps none of them from being tried.
    ORDER BY p.updated_at, p.uid
    LIMIT $pending
  }
  WITH p
  ORDER BY p.updated_at, p.uid
  LIMIT $pending
  RETURN collect(p {
    // part: pending_commit_fields(p)
  }) AS pending
}
RETURN turn.uid AS turn_uid, toString(turn.created_at) AS began_at,
       head(COLLECT { MATCH (turn)-[:IN_SESSION]->(s:Session) RETURN s.uid }) AS session_uid,
       called, noticed, budget_used, budget_total, goals, recent, pending
