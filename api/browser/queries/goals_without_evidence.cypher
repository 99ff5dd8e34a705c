// Goals without evidence
// Goals that are not finished and that no observation speaks for, with what they are part of.
MATCH (org:Organisation {key: 'demo'})
MATCH (space:Space {org_id: org.uid}) WHERE space.key IS NOT NULL
MATCH (goal:Goal {scope_id: space.uid}) WHERE goal.status IN ['pending', 'in_progress', 'blocked']
  AND NOT EXISTS { (:Observation)-[link:EVIDENCES WHERE link.until IS NULL]->(goal) }
WITH goal ORDER BY goal.priority_rank DESC, goal.uid DESC LIMIT 50
OPTIONAL MATCH above = (goal)-[link:CHILD_OF WHERE link.until IS NULL]->(:Goal)
RETURN goal, above
