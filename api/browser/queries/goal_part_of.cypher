// What a goal is part of
// The goal, the goals that it is part of or was derived from, up to the topmost, and the evidence of each.
// which goal
MATCH (org:Organisation {key: 'demo'})
MATCH (space:Space {org_id: org.uid}) WHERE space.key IS NOT NULL
MATCH (goal:Goal {scope_id: space.uid}) WHERE goal.status IN ['pending', 'in_progress', 'blocked']
WITH goal ORDER BY goal.priority_rank DESC, goal.uid DESC LIMIT 1
// end which
MATCH path = (goal) (()-[link:CHILD_OF|DERIVED_FROM WHERE link.until IS NULL]->()){0,8} (above:Goal)
RETURN path,
  COLLECT {
    MATCH evidence = (:Observation)-[spoken:EVIDENCES WHERE spoken.until IS NULL]->(above)
    RETURN evidence LIMIT 25
  } AS evidence
LIMIT 100
