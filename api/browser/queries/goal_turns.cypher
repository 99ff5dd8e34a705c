// The turns that wrote a goal
// Each MADE relationship has the operation; click a turn to see its name and time.
// which goal
MATCH (org:Organisation {key: 'demo'})
MATCH (space:Space {org_id: org.uid}) WHERE space.key IS NOT NULL
MATCH (goal:Goal {scope_id: space.uid}) WHERE goal.status IN ['pending', 'in_progress', 'blocked']
WITH goal ORDER BY goal.priority_rank DESC, goal.uid DESC LIMIT 1
// end which
MATCH made = (:Turn)-[:MADE]->(goal)
RETURN made
LIMIT 50
