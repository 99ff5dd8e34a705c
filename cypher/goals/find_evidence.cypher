// What an observation already adds to a goal, and how many observations speak for the goal; one row.
// mode: read
// scope: caller
// params: goal_id, observation_id, readable
// returns: one
CYPHER 25
MATCH (g:Goal {uid: $goal_id})
WHERE g.scope_id IN $readable
OPTIONAL MATCH (o:Observation&Memory {uid: $observation_id})-[link:EVIDENCES]->(g)
WHERE link.until IS NULL AND o.scope_id IN $readable
WITH g, collect(link.gain) AS gains
RETURN gains[0] AS gain, COUNT { (:Observation)-[:EVIDENCES]->(g) } AS position
