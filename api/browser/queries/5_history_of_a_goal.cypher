// The history of the newest goal
// The versions of the goal: each one has the changed fields, the actor and the turn.
MATCH (org:Organisation {key: 'demo'})
MATCH (space:Space {org_id: org.uid}) WHERE space.key IS NOT NULL
MATCH (goal:Goal {scope_id: space.uid})
WITH goal ORDER BY goal.uid DESC LIMIT 1
MATCH history = (:Version)-[:OF]->(goal)
RETURN history
