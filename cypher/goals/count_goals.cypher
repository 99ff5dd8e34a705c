// Counts the goals that match a filter, below one goal or all; one row.
// mode: read
// scope: caller
// params: readable, statuses, parent_id, goal_type, space, client_key, user_id, person, agent, words, grantees
// returns: one
CYPHER 25
CALL () {
  WITH * WHERE $parent_id IS NULL AND $client_key IS NULL
  UNWIND $readable AS scope_id
  WITH scope_id WHERE $space IS NULL OR scope_id = $space
  UNWIND $statuses AS status
  CALL (scope_id, status) {
    MATCH (g:Goal)
    USING INDEX SEEK g:Goal(scope_id, status, uid)
    // The index is used only if every one of its properties has a condition, hence the one on the id.
    WHERE g.scope_id = scope_id AND g.status = status AND g.uid IS NOT NULL
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
    RETURN count(g) AS found
  }
  RETURN sum(found) AS matching
  UNION ALL
  WITH * WHERE $parent_id IS NULL AND $client_key IS NOT NULL
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
  RETURN count(g) AS matching
  UNION ALL
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
  RETURN count(g) AS matching
  // only if $grantees
  UNION ALL
  WITH * WHERE $parent_id IS NULL
  // part: shared_goals(g)
  UNWIND $grantees AS grantee
  MATCH (:Actor {uid: grantee})-[may:MAY]->(root:Goal)
  WHERE may.until IS NULL
  MATCH (root) (()<-[down:CHILD_OF WHERE down.until IS NULL]-()){0,20} (g:Goal)
  WHERE g.scope_id = root.scope_id
  // end part
    AND g.status IN $statuses AND NOT g.scope_id IN $readable
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
  RETURN count(DISTINCT g) AS matching
  // end only
}
RETURN sum(matching) AS total
