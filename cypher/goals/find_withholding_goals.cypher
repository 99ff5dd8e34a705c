// The goals where some observations wait as evidence, or what they contradict, or did; one row.
// mode: read
// scope: caller
// params: observation_ids, writable
// returns: one
CYPHER 25
UNWIND $observation_ids AS uid
MATCH (:Observation&Memory {uid: uid})-[:CONTRADICTS]-{0,1}(:Observation)-[link:EVIDENCES]->(g:Goal)
WHERE link.until IS NULL AND link.withheld IS NOT NULL AND g.scope_id IN $writable
RETURN collect(DISTINCT g.uid) AS goals
