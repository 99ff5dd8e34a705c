// Counts the questions about some goals that have one of the statuses; one row.
// mode: read
// scope: caller
// params: goal_ids, readable, statuses, owner, tag_keys, grantees
// returns: one
CYPHER 25
UNWIND $goal_ids AS goal_id
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
RETURN count(q) AS total
