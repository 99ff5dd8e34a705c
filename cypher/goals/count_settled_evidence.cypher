// Adds the evidence of some goals whose contradiction has ended; one row with the gain of each observation.
// mode: write, returns: one, scope: caller
CYPHER 25
// The caller has locked the goals.
UNWIND $rows AS row
MATCH (g:Goal {uid: row.uid})
WHERE g.scope_id IN $writable
  // part: shared_for_writing(g) if $grantees
WITH g, row.progress AS progress
MATCH (g)<-[link:EVIDENCES]-(o:Observation)
WHERE link.until IS NULL AND link.withheld IS NOT NULL
  // An observation that is no longer active adds nothing. The condition is on a list, so that no plan starts at the index of active observations.
  AND all(side IN [o] WHERE side.status = 'active' AND side.expires_at > $now)
  AND NOT EXISTS {
    (o)-[conflict:CONTRADICTS]-(other:Observation)-[its:EVIDENCES]->(g)
    WHERE conflict.until IS NULL AND conflict.how <> 'inferred' AND its.until IS NULL
      AND all(side IN [other] WHERE side.status = 'active' AND side.expires_at > $now)
  }
WITH g, progress, o, link
ORDER BY link.since, link.position, o.uid
WITH g, progress, collect({uid: o.uid, link: link, gain: link.withheld}) AS waiting
UNWIND range(0, size(waiting) - 1) AS i
WITH g, waiting[i].uid AS uid, waiting[i].link AS link, waiting[i].gain AS gain,
     1.0 - progress - reduce(sum = 0.0, item IN waiting[..i] | sum + item.gain) AS room
// A link keeps what it really adds: nothing of what would go beyond a progress of 1.
SET link.gain = CASE WHEN room <= 0.0 THEN 0.0 WHEN room < gain THEN round(room, 9) ELSE gain END
REMOVE link.withheld
RETURN collect({goal_id: g.uid, observation_id: uid, gain: gain}) AS items
