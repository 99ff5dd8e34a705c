// The history of the newest goal
// Its versions: each holds what a change changed, who made it, and in which turn.
MATCH (org:Organisation {key: 'demo'})
MATCH (space:Space {org_id: org.uid}) WHERE space.key IS NOT NULL
MATCH (goal:Goal {scope_id: space.uid})
WITH goal ORDER BY goal.uid DESC LIMIT 1
MATCH history = (:Version)-[:OF]->(goal)
RETURN history
