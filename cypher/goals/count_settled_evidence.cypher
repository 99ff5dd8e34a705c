// Adds the evidence of some goals whose contradiction has ended; one row with the gain of each observation.
// mode: write
// scope: caller
// params: goal_ids, writable, now, grantees
// returns: one
CYPHER 25
// The caller has locked the goals.
UNWIND $goal_ids AS uid
MATCH (g:Goal {uid: uid})
WHERE g.scope_id IN $writable
  // part: shared_for_writing(g) if $grantees
  OR EXISTS {
    MATCH (g)
      (()-[up:CHILD_OF WHERE up.until IS NULL]->()){0,20} (top:Goal)<-[may:MAY]-(actor:Actor)
    WHERE top.scope_id = g.scope_id AND may.until IS NULL AND actor.uid IN $grantees
      AND may.permission IN ['write', 'admin']
  }
  // end part
WITH g
MATCH (g)<-[link:EVIDENCES]-(o:Observation)
WHERE link.until IS NULL AND link.withheld IS NOT NULL
  // An observation that is no longer active adds nothing. The condition is on a list, so that no plan starts at the index of active observations.
  AND all(side IN [o] WHERE side.status = 'active' AND side.expires_at > $now)
  AND NOT EXISTS {
    (o)-[conflict:CONTRADICTS]-(other:Observation)-[its:EVIDENCES]->(g)
    WHERE conflict.until IS NULL AND its.until IS NULL
      AND all(side IN [other] WHERE side.status = 'active' AND side.expires_at > $now)
  }
WITH g, o, link, link.withheld AS gain
SET link.gain = gain
REMOVE link.withheld
RETURN collect({goal_id: g.uid, observation_id: o.uid, gain: gain}) AS items
