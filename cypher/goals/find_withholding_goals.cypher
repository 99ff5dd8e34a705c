// The goals where some observations, or those that they contradict or contradicted, wait as evidence; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $observation_ids AS uid
MATCH (:Observation&Memory {uid: uid})-[:CONTRADICTS]-{0,1}(:Observation)-[link:EVIDENCES]->(g:Goal)
WHERE link.until IS NULL AND link.withheld IS NOT NULL AND (g.scope_id IN $writable
  // part: shared_for_writing(g) if $grantees
)
RETURN collect(DISTINCT g.uid) AS goals
