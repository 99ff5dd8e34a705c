// Makes an observation evidence of a goal; one row with how many links were made.
// mode: write
// scope: caller
// params: goal_id, observation_id, confidence, note, position, gain, turn_key, actor_id, readable, writable, now
// returns: one
CYPHER 25
MATCH (g:Goal {uid: $goal_id})
WHERE g.scope_id IN $writable
MATCH (o:Observation&Memory {uid: $observation_id})
WHERE o.scope_id IN $readable
CREATE (o)-[link:EVIDENCES {confidence: $confidence, weight: 1.0, note: $note, position: $position, gain: $gain,
                            turn_key: $turn_key, since: $now, by: $actor_id}]->(g)
RETURN count(link) AS linked
