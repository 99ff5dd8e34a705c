// Returns what each of some observations already adds to a goal, which evidence contradicts it, and how many links the goal has had; no row when the goal is not readable.
// mode: read, returns: optional, scope: caller
CYPHER 25
MATCH (g:Goal {uid: $goal_id})
WHERE g.scope_id IN $readable
  // part: shared(g) if $grantees
CALL (g) {
  UNWIND $observation_ids AS uid
  MATCH (o:Observation&Memory {uid: uid})-[link:EVIDENCES]->(g)
  WHERE link.until IS NULL AND o.scope_id IN $readable
  RETURN collect({observation_id: uid, gain: link.gain, confidence: link.confidence, note: link.note}) AS links
}
CALL (g) {
  UNWIND $observation_ids AS uid
  MATCH (o:Observation&Memory {uid: uid})-[conflict:CONTRADICTS]-(other:Observation)
  // What was inferred from other words withholds nothing.
  WHERE conflict.until IS NULL AND conflict.how <> 'inferred' AND o.scope_id IN $readable
    AND all(side IN [o, other] WHERE side.status = 'active' AND side.expires_at > $now)
    AND (other.uid IN $observation_ids OR EXISTS { (other)-[link:EVIDENCES]->(g) WHERE link.until IS NULL })
  // A contradiction counts even if the caller may not read the other observation, but its id is returned only if the caller may.
  RETURN collect(DISTINCT {observation_id: uid,
                           other_id: CASE WHEN other.scope_id IN $readable THEN other.uid END}) AS conflicts
}
RETURN links, conflicts, COUNT { (:Observation)-[:EVIDENCES]->(g) } AS position
