// Topics that join goals and observations
// The topics of the title of a goal that observations share, for the ten most urgent goals.
MATCH (org:Organisation {key: 'demo'})
MATCH (space:Space {org_id: org.uid}) WHERE space.key IS NOT NULL
MATCH (goal:Goal {scope_id: space.uid}) WHERE goal.status IN ['pending', 'in_progress', 'blocked']
WITH goal ORDER BY goal.priority_rank DESC, goal.uid DESC LIMIT 10
CALL (goal) {
  MATCH joined = (goal)-[:ON {own: true}]->(topic:Topic)<-[:ON]-(observation:Observation)
  RETURN joined ORDER BY observation.uid DESC, topic.uid LIMIT 25
}
RETURN joined
