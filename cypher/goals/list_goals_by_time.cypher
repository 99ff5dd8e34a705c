// A page of goals by status, newest first or, with a time, last changed first; one row.
// mode: read
// scope: caller
// params: readable, statuses, goal_type, space, client_key, user_id, person, agent, words, grantees, created_before, before_at, before_uid, limit
// returns: one
CYPHER 25
CALL () {
  UNWIND $readable AS scope_id
  WITH scope_id WHERE $space IS NULL OR scope_id = $space
  UNWIND $statuses AS status
  CALL (scope_id, status) {
    // In the order of change `created_before` is empty: a condition on `before_at` would be checked after the walk.
    MATCH (g:Goal)
    USING INDEX SEEK g:Goal(scope_id, status, uid)
    WHERE g.scope_id = scope_id AND g.status = status AND g.uid < $created_before
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
    ORDER BY g.scope_id DESC, g.status DESC, g.uid DESC
    LIMIT $limit
    UNION ALL
    // Two walks in the index's order, as in goals/list_goals: the rest of the cursor's own time, then all earlier times.
    // Without a time they find nothing.
    MATCH (g:Goal)
    USING INDEX SEEK g:Goal(scope_id, status, updated_at, uid)
    WHERE g.scope_id = scope_id AND g.status = status AND g.updated_at = $before_at AND g.uid < $before_uid
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
    ORDER BY g.scope_id DESC, g.status DESC, g.updated_at DESC, g.uid DESC
    LIMIT $limit
    UNION ALL
    MATCH (g:Goal)
    USING INDEX SEEK g:Goal(scope_id, status, updated_at, uid)
    WHERE g.scope_id = scope_id AND g.status = status AND g.updated_at < $before_at AND g.uid IS NOT NULL
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
    ORDER BY g.scope_id DESC, g.status DESC, g.updated_at DESC, g.uid DESC
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
    AND ($before_at IS NULL AND g.uid < $before_uid
         OR g.updated_at < $before_at OR g.updated_at = $before_at AND g.uid < $before_uid)
  RETURN g
  // end only
}
WITH g
ORDER BY CASE WHEN $before_at IS NOT NULL THEN g.updated_at END DESC, g.uid DESC
LIMIT $limit
RETURN collect(g {
  // part: goal_fields(g)
  .uid, .scope_id, .agent_id, .org_id, .title, .description, .goal_type, .user_id, .origin, .priority, .priority_rank,
  .horizon_value, .horizon_unit, .status, .progress, .metrics, .constraints, .milestones, .status_reason, .completed_at,
  .archived_at, created_at: toString(g.created_at), updated_at: toString(g.updated_at), .by_uid, .version, .client_key,
  violates: coalesce(g.violates, [])
  // end part
}) AS items
