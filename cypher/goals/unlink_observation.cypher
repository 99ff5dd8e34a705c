// Ends an observation's link to a goal; the link stays as history. One row with the number of links ended.
// mode: write
// scope: caller
// params: goal_id, observation_id, actor_id, writable, now, grantees
// returns: one
CYPHER 25
MATCH (g:Goal {uid: $goal_id})
WHERE g.scope_id IN $writable
  // part: shared_for_writing(g) if $grantees
  OR EXISTS {
    MATCH (g)
      (()-[up:CHILD_OF WHERE up.until IS NULL]->()){0,20} (top:Goal)<-[may:MAY]-(actor:Actor)
    WHERE top.scope_id = g.scope_id AND may.until IS NULL AND actor.uid IN $grantees
      AND may.permission IN ['write', 'admin']
  }
  // end part
MATCH (:Observation&Memory {uid: $observation_id})-[link:EVIDENCES]->(g)
WHERE link.until IS NULL
SET link.until = $now, link.by = $actor_id
RETURN count(link) AS ended
