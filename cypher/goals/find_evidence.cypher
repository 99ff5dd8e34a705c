// What each of some observations already adds to a goal, and how many observations speak for the goal; one row.
// mode: read
// scope: caller
// params: goal_id, observation_ids, readable
// returns: one
CYPHER 25
MATCH (g:Goal {uid: $goal_id})
WHERE g.scope_id IN $readable
CALL (g) {
  UNWIND $observation_ids AS uid
  MATCH (o:Observation&Memory {uid: uid})-[link:EVIDENCES]->(g)
  WHERE link.until IS NULL AND o.scope_id IN $readable
  RETURN collect({observation_id: uid, gain: link.gain}) AS links
}
RETURN links, COUNT { (:Observation)-[:EVIDENCES]->(g) } AS position
