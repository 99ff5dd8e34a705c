// The goals where some observations, or those that they contradict or contradicted, wait as evidence; one row.
// mode: read
// scope: caller
// params: observation_ids, writable, grantees
// returns: one
CYPHER 25
UNWIND $observation_ids AS uid
MATCH (:Observation&Memory {uid: uid})-[:CONTRADICTS]-{0,1}(:Observation)-[link:EVIDENCES]->(g:Goal)
WHERE link.until IS NULL AND link.withheld IS NOT NULL AND (g.scope_id IN $writable
  // part: shared_for_writing(g) if $grantees
  OR EXISTS {
    MATCH (g)
      (()-[up:CHILD_OF WHERE up.until IS NULL]->()){0,20} (top:Goal)<-[may:MAY]-(actor:Actor)
    WHERE top.scope_id = g.scope_id AND may.until IS NULL AND actor.uid IN $grantees
      AND may.permission IN ['write', 'admin']
  }
  // end part
)
RETURN collect(DISTINCT g.uid) AS goals
