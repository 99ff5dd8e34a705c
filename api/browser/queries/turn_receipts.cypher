// The receipts of a turn: the budget, and what was left out, as a table
// One row for each context: the tokens of the budget and those used, the items in it, and how many were left out why.
// which turn
MATCH (org:Organisation {key: 'demo'})
MATCH (space:Space {org_id: org.uid}) WHERE space.key IS NOT NULL
MATCH (turn:Turn {scope_id: space.uid}) WHERE turn.key IS NOT NULL AND EXISTS { (turn)-[:RECEIVED]->() }
WITH turn ORDER BY turn.created_at DESC, turn.uid DESC LIMIT 1
// end which
MATCH (turn)-[:RECEIVED]->(receipt:ContextReceipt)
RETURN turn.name AS turn, receipt.created_at AS at, receipt.budget AS budget, receipt.used AS used,
  size(receipt.included_uids) AS included, receipt.excluded_counts AS left_out
ORDER BY at DESC
LIMIT 20
