// The readable goal with this id, for a question to be about; no row if there is none.
// mode: read
// scope: caller
// params: goal_id, readable, grantees
// returns: optional
CYPHER 25
MATCH (g:Goal {uid: $goal_id})
WHERE g.scope_id IN $readable
  // part: shared(g) if $grantees
  OR EXISTS {
    MATCH (g)
      (()-[up:CHILD_OF WHERE up.until IS NULL]->()){0,20} (top:Goal)<-[may:MAY]-(actor:Actor)
    WHERE top.scope_id = g.scope_id AND may.until IS NULL AND actor.uid IN $grantees
  }
  // end part
RETURN g.uid AS uid, g.scope_id IN $readable AS in_reach
