// What a turn saw
// The goals and memories in the context of the turn. The relationships appear some seconds after the context.
// which turn
MATCH (org:Organisation {key: 'demo'})
MATCH (space:Space {org_id: org.uid}) WHERE space.key IS NOT NULL
MATCH (turn:Turn {scope_id: space.uid}) WHERE turn.key IS NOT NULL AND EXISTS { (turn)-[:RECEIVED]->() }
WITH turn ORDER BY turn.created_at DESC, turn.uid DESC LIMIT 1
// end which
MATCH seen = (turn)-[:SAW]->()
RETURN seen
LIMIT 100
