// The conditions of a filter that hold for each goal alone.
// variables: g
AND ($goal_type IS NULL OR g.goal_type = $goal_type)
AND ($space IS NULL OR g.scope_id = $space)
AND ($client_key IS NULL OR g.client_key = $client_key)
AND ($user_id IS NULL OR g.user_id = $user_id)
AND ($person IS NULL OR EXISTS { (g)-[:FOR]->(:Actor {kind: 'person', key: $person}) })
AND ($agent IS NULL OR EXISTS { (g)-[:FOR]->(:Actor {kind: 'agent', key: $agent}) })
// part: contains_words(g)
