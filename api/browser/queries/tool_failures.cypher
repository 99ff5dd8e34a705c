// Calls of tools that failed
// The newest ones, with the turn and the goal for which the tool was called.
MATCH (org:Organisation {key: 'demo'})
MATCH (space:Space {org_id: org.uid}) WHERE space.key IS NOT NULL
MATCH (call:ToolInvocation {scope_id: space.uid, status: 'failed'})
WITH call ORDER BY call.uid DESC LIMIT 50
MATCH called = (:Turn)-[:INVOKED]->(call)
OPTIONAL MATCH goal = (call)-[:ADVANCES]->(:Goal)
RETURN called, goal
