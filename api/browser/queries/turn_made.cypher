// What a turn made
// The records that the turn created or changed; each MADE relationship has the operation.
// which turn
MATCH (org:Organisation {key: 'demo'})
MATCH (space:Space {org_id: org.uid}) WHERE space.key IS NOT NULL
MATCH (turn:Turn {scope_id: space.uid}) WHERE turn.key IS NOT NULL AND EXISTS { (turn)-[:RECEIVED]->() }
WITH turn ORDER BY turn.created_at DESC, turn.uid DESC LIMIT 1
// end which
MATCH made = (turn)-[:MADE]->()
RETURN made
LIMIT 100
