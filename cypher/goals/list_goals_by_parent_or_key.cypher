// A page of the goals below a goal, or with a client key, in one of the orders; one row.
// mode: read
// scope: caller
// params: readable, statuses, parent_id, goal_type, space, client_key, user_id, person, agent, words, grantees, order, before_place, before_uid, limit
// returns: one
CYPHER 25
// These are few, so all are read and sorted without an index.
CALL () {
  WITH * WHERE $parent_id IS NOT NULL
  MATCH (parent:Goal {uid: $parent_id})<-[link:CHILD_OF]-(g:Goal)
  WHERE link.until IS NULL AND (parent.scope_id IN $readable
    // part: shared(parent) if $grantees
    OR EXISTS {
      MATCH (parent)
        (()-[up:CHILD_OF WHERE up.until IS NULL]->()){0,20} (top:Goal)<-[may:MAY]-(actor:Actor)
      WHERE top.scope_id = parent.scope_id AND may.until IS NULL AND actor.uid IN $grantees
    }
    // end part
  ) AND (g.scope_id IN $readable
    // part: shared(g) if $grantees
    OR EXISTS {
      MATCH (g)
        (()-[up:CHILD_OF WHERE up.until IS NULL]->()){0,20} (top:Goal)<-[may:MAY]-(actor:Actor)
      WHERE top.scope_id = g.scope_id AND may.until IS NULL AND actor.uid IN $grantees
    }
    // end part
  ) AND g.status IN $statuses
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
  UNION
  WITH * WHERE $parent_id IS NULL
  UNWIND $readable AS scope_id
  MATCH (g:Goal)
  USING INDEX SEEK g:Goal(scope_id, client_key)
  WHERE g.scope_id = scope_id AND g.client_key = $client_key AND g.status IN $statuses
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
  // only if $grantees
  UNION
  WITH * WHERE $parent_id IS NULL
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
  RETURN g
  // end only
}
WITH g, CASE $order
  WHEN 'priority' THEN g.priority_rank
  WHEN 'updated_at' THEN g.updated_at.epochSeconds * 1000000 + g.updated_at.microsecond
  ELSE 0
END AS place
WHERE place < $before_place OR place = $before_place AND g.uid < $before_uid
WITH g
ORDER BY place DESC, g.uid DESC
LIMIT $limit
RETURN collect(g {
  // part: goal_fields(g)
  .uid, .scope_id, .agent_id, .org_id, .title, .description, .goal_type, .user_id, .origin, .priority, .priority_rank,
  .horizon_value, .horizon_unit, .status, .progress, .metrics, .constraints, .milestones, .status_reason, .completed_at,
  .archived_at, created_at: toString(g.created_at), updated_at: toString(g.updated_at), .by_uid, .version, .client_key,
  violates: coalesce(g.violates, [])
  // end part
}) AS items
