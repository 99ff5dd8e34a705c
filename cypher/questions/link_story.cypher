// Makes observations evidence of a story; one row with the number of links created.
// mode: write, returns: one, scope: caller
CYPHER 25
MATCH (s:Story {uid: $uid})
WHERE s.scope_id IN $writable
UNWIND $rows AS row
MATCH (o:Observation&Memory {uid: row.observation_id})
WHERE o.scope_id IN $readable
CREATE (o)-[link:EVIDENCES {confidence: row.confidence, version: o.version, weight: 1.0, position: row.position, gain: 0.0, turn_key: $turn_key, since: $now, by: $actor_id}]->(s)
RETURN count(link) AS linked
