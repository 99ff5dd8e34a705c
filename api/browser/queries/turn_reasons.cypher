// Why each item was in the context, as a table
// In the order of the text: the section, the reason, the score, and the tokens that it took of the budget.
// which turn
MATCH (org:Organisation {key: 'demo'})
MATCH (space:Space {org_id: org.uid}) WHERE space.key IS NOT NULL
MATCH (turn:Turn {scope_id: space.uid}) WHERE turn.key IS NOT NULL AND EXISTS { (turn)-[:RECEIVED]->() }
WITH turn ORDER BY turn.created_at DESC, turn.uid DESC LIMIT 1
// end which
MATCH (turn)-[saw:SAW]->(seen)
RETURN saw.rank AS rank, saw.section AS section, seen.name AS what, saw.reason AS reason, saw.score AS score,
  saw.tokens AS tokens
ORDER BY saw.receipt_uid DESC, rank
LIMIT 200
