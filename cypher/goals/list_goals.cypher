// A page of goals by status, most urgent first and newest first among equals, one row.
// mode: read
// scope: caller
// params: readable, statuses, before_rank, before_uid, limit, goal_type, space, client_key, user_id, person, agent, words, grantees
// returns: one
CYPHER 25
CALL () {
  UNWIND $readable AS scope_id
  WITH scope_id WHERE $space IS NULL OR scope_id = $space
  UNWIND $statuses AS status
  CALL (scope_id, status) {
    // First the rest of the cursor's own rank, then all lower ranks: two walks in the index's order instead of
    // one with OR, which would begin at the top of the rank again. ORDER BY names all four properties, although
    // some are constant here: otherwise the planner does not see that the index has this order.
    MATCH (g:Goal)
    USING INDEX SEEK g:Goal(scope_id, status, priority_rank, uid)
    WHERE g.scope_id = scope_id AND g.status = status AND g.priority_rank = $before_rank AND g.uid < $before_uid
      // part: goal_filter(g)
      AND ($goal_type IS NULL OR g.goal_type = $goal_type)
      AND ($space IS NULL OR g.scope_id = $space)
      AND ($client_key IS NULL OR g.client_key = $client_key)
      AND ($user_id IS NULL OR g.user_id = $user_id)
      AND ($person IS NULL OR EXISTS { (g)-[:FOR]->(:Actor {kind: 'person', key: $person}) })
      AND ($agent IS NULL OR EXISTS { (g)-[:FOR]->(:Actor {kind: 'agent', key: $agent}) })
      AND (size($words) = 0 OR all(text IN [toLower(normalize(g.title + ' ' + coalesce(g.description, ''), NFKC))]
           WHERE all(word IN $words WHERE text CONTAINS word)))
      // end part
    RETURN g
    ORDER BY g.scope_id DESC, g.status DESC, g.priority_rank DESC, g.uid DESC
    LIMIT $limit
    UNION ALL
    MATCH (g:Goal)
    USING INDEX SEEK g:Goal(scope_id, status, priority_rank, uid)
    WHERE g.scope_id = scope_id AND g.status = status AND g.priority_rank < $before_rank AND g.uid IS NOT NULL
      // part: goal_filter(g)
      AND ($goal_type IS NULL OR g.goal_type = $goal_type)
      AND ($space IS NULL OR g.scope_id = $space)
      AND ($client_key IS NULL OR g.client_key = $client_key)
      AND ($user_id IS NULL OR g.user_id = $user_id)
      AND ($person IS NULL OR EXISTS { (g)-[:FOR]->(:Actor {kind: 'person', key: $person}) })
      AND ($agent IS NULL OR EXISTS { (g)-[:FOR]->(:Actor {kind: 'agent', key: $agent}) })
      AND (size($words) = 0 OR all(text IN [toLower(normalize(g.title + ' ' + coalesce(g.description, ''), NFKC))]
           WHERE all(word IN $words WHERE text CONTAINS word)))
      // end part
    RETURN g
    ORDER BY g.scope_id DESC, g.status DESC, g.priority_rank DESC, g.uid DESC
    LIMIT $limit
  }
  RETURN g
  // only if $grantees
  UNION
  // part: shared_goals(g)
  UNWIND $grantees AS grantee
  MATCH (:Actor {uid: grantee})-[may:MAY]->(root:Goal)
  WHERE may.until IS NULL
  MATCH (root) (()<-[down:CHILD_OF WHERE down.until IS NULL]-()){0,20} (g:Goal)
  WHERE g.scope_id = root.scope_id
  // end part
    AND g.status IN $statuses
    // part: goal_filter(g)
    AND ($goal_type IS NULL OR g.goal_type = $goal_type)
    AND ($space IS NULL OR g.scope_id = $space)
    AND ($client_key IS NULL OR g.client_key = $client_key)
    AND ($user_id IS NULL OR g.user_id = $user_id)
    AND ($person IS NULL OR EXISTS { (g)-[:FOR]->(:Actor {kind: 'person', key: $person}) })
    AND ($agent IS NULL OR EXISTS { (g)-[:FOR]->(:Actor {kind: 'agent', key: $agent}) })
    AND (size($words) = 0 OR all(text IN [toLower(normalize(g.title + ' ' + coalesce(g.description, ''), NFKC))]
         WHERE all(word IN $words WHERE text CONTAINS word)))
    // end part
    AND (g.priority_rank < $before_rank OR (g.priority_rank = $before_rank AND g.uid < $before_uid))
  RETURN g
  // end only
}
WITH g
ORDER BY g.priority_rank DESC, g.uid DESC
LIMIT $limit
RETURN collect(g {
  // part: goal_fields(g)
  .uid, .scope_id, .agent_id, .org_id, .title, .description, .goal_type, .user_id, .origin, .priority, .priority_rank,
  .horizon_value, .horizon_unit, .status, .progress, .metrics, .constraints, .milestones, .status_reason, .completed_at,
  .archived_at, created_at: toString(g.created_at), updated_at: toString(g.updated_at), .by_uid, .version, .client_key,
  violates: coalesce(g.violates, [])
  // end part
}) AS items
