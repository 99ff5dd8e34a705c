// The evidence of a goal, with whom and what it mentions
// Each EVIDENCES relationship has the confidence of the observation when it was linked.
// which goal
MATCH (org:Organisation {key: 'demo'})
MATCH (space:Space {org_id: org.uid}) WHERE space.key IS NOT NULL
MATCH (goal:Goal {scope_id: space.uid}) WHERE goal.status IN ['pending', 'in_progress', 'blocked']
WITH goal ORDER BY goal.priority_rank DESC, goal.uid DESC LIMIT 1
// end which
MATCH evidence = (observation:Observation)-[link:EVIDENCES WHERE link.until IS NULL]->(goal)
RETURN evidence,
  COLLECT {
    MATCH mention = (observation)-[:MENTIONS]->(:Entity)
    RETURN mention LIMIT 10
  } AS mentions
LIMIT 50
