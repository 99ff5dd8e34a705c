// The candidates for a context: mandates, capabilities, active goals, recent and matching observations; one row.
// mode: read
// scope: caller
// params: readable, now, search, active_statuses, mandates, capabilities, goals, recent, matching
// returns: one
CYPHER 25
CALL () {
  UNWIND $readable AS scope_id
  MATCH (m:Mandate)
  WHERE m.scope_id = scope_id AND m.live = true
  WITH m ORDER BY m.essential DESC, m.uid
  LIMIT $mandates
  RETURN collect(m {.uid, .content, .essential}) AS mandate_items
}
CALL () {
  UNWIND $readable AS scope_id
  MATCH (m:Capability)
  WHERE m.scope_id = scope_id AND m.live = true
  WITH m ORDER BY m.uid
  LIMIT $capabilities
  RETURN collect(m {.uid, .content}) AS capability_items
}
CALL () {
  UNWIND $readable AS scope_id
  UNWIND $active_statuses AS status
  CALL (scope_id, status) {
    MATCH (g:Goal)
    USING INDEX SEEK g:Goal(scope_id, status, priority_rank, uid)
    // The planner uses the index only with a condition on each property, and its order only if all are ordered by.
    WHERE g.scope_id = scope_id AND g.status = status AND g.priority_rank IS NOT NULL AND g.uid IS NOT NULL
    RETURN g
    ORDER BY g.scope_id DESC, g.status DESC, g.priority_rank DESC, g.uid DESC
    LIMIT $goals
  }
  WITH g
  ORDER BY g.priority_rank DESC, g.uid DESC
  LIMIT $goals
  CALL (g) {
    // The titles of the readable goals above the goal, the parent first.
    MATCH p = (g) ((x:Goal)-[link:CHILD_OF]->(y:Goal) WHERE link.until IS NULL AND y.scope_id IN $readable){1,5} (above:Goal)
    WITH above, length(p) AS distance
    ORDER BY distance
    RETURN collect(above.title) AS above
  }
  WITH g, above
  ORDER BY g.priority_rank DESC, g.uid DESC
  RETURN collect(g {.uid, .title, .priority, .priority_rank, .status, .progress, above: above}) AS goal_items
}
CALL () {
  UNWIND $readable AS scope_id
  CALL (scope_id) {
    MATCH (o:Observation)
    USING INDEX SEEK o:Observation(scope_id, status, uid)
    WHERE o.scope_id = scope_id AND o.status = 'active' AND o.uid IS NOT NULL AND o.expires_at > $now
    RETURN o
    ORDER BY o.scope_id DESC, o.status DESC, o.uid DESC
    LIMIT $recent
  }
  WITH o
  ORDER BY o.uid DESC
  LIMIT $recent
  RETURN collect(o {.uid, .content, .confidence, .created_at}) AS recent_items
}
CALL () {
  // The full-text query requires the spaces already. The condition here is a second, independent access check.
  UNWIND CASE $search WHEN '' THEN [] ELSE [$search] END AS search
  CALL db.index.fulltext.queryNodes('memory_text', search, {limit: 4 * $matching}) YIELD node AS o, score
  WHERE o:Observation AND o.scope_id IN $readable AND o.status = 'active' AND o.expires_at > $now
  WITH o, score
  ORDER BY score DESC, o.uid DESC
  LIMIT $matching
  RETURN collect(o {.uid, .content, .confidence, .created_at, score: score}) AS matching_items
}
RETURN mandate_items, capability_items, goal_items, recent_items, matching_items
