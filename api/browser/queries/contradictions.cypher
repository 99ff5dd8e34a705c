// Observations that contradict each other
// Contradictions that are not resolved, with the goals that either side speaks for.
MATCH (org:Organisation {key: 'demo'})
MATCH (space:Space {org_id: org.uid}) WHERE space.key IS NOT NULL
MATCH (observation:Observation {scope_id: space.uid}) WHERE observation.uid IS NOT NULL
MATCH conflict = (observation)-[link:CONTRADICTS WHERE link.until IS NULL]->(other:Observation)
WITH * LIMIT 50
RETURN conflict,
  COLLECT {
    MATCH goal = (side:Observation)-[evidence:EVIDENCES WHERE evidence.until IS NULL]->(:Goal)
    WHERE side IN [observation, other]
    RETURN goal LIMIT 10
  } AS goals
