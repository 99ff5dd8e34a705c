// Every condition of a filter of observations.
// variables: o
AND ($goal_id IS NULL OR o.context_goal_id = $goal_id
     OR EXISTS { (o)-[link:EVIDENCES]->(named:Goal {uid: $goal_id})
                 WHERE link.until IS NULL AND named.scope_id IN $readable })
AND ($goal_key IS NULL OR o.goal_key = $goal_key)
AND all(key IN $tag_keys WHERE key IN o.tag_keys)
// part: observation_filter_with_slices(o)
