// Actions that wait or block
// Actions that block their goal until they are done, that are blocked, or that wait for their type to be approved.
MATCH (org:Organisation {key: 'demo'})
MATCH (space:Space {org_id: org.uid}) WHERE space.key IS NOT NULL
MATCH (action:PendingAction {scope_id: space.uid})
WHERE action.status IN ['pending', 'in_progress', 'blocked']
  AND (action.blocking OR action.status = 'blocked' OR EXISTS { (action)-[:AWAITS]->() })
WITH action ORDER BY action.uid DESC LIMIT 50
OPTIONAL MATCH goal = (action)-[:ADVANCES]->(:Goal)
OPTIONAL MATCH awaited = (action)-[:AWAITS]->(:RegistryProposal)
RETURN action, goal, awaited
