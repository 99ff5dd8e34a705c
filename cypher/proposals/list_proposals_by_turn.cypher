// A page of the proposals that come from a turn, newest first, one row.
// mode: read
// scope: caller
// params: readable, turn_key, statuses, type_id, before_uid, limit
// returns: one
CYPHER 25
UNWIND $readable AS scope_id
MATCH (turn:Turn {scope_id: scope_id, key: $turn_key})
USING INDEX SEEK turn:Turn(scope_id, key)
WITH collect(turn) AS turns
UNWIND turns AS turn
// The pattern leaves out the label, so that no plan starts at the proposals.
MATCH (turn)-[:PROPOSED]->(p)
WHERE p.scope_id IN $readable AND p.status IN $statuses AND p.uid < $before_uid
  AND ($type_id IS NULL OR p.type_id = $type_id)
WITH DISTINCT p
ORDER BY p.uid DESC
LIMIT $limit
RETURN collect(p {
  // part: proposal_fields(p)
  .uid, .org_id, .scope_id, .proposal_type, .subject, .type_id, .requested_name, .display_name, .description, .diff,
  .suggested_policies, .allowed_statuses, .allowed_transitions, .rationale, .examples, .risks, .created_from_turn_id,
  .status, .status_reason, .authors, .reviewers, .reviews, .name_key, .repo, .branch, .commit, .pr_url, .exported_at,
  .merged_at, created_at: toString(p.created_at), updated_at: toString(p.updated_at), .by_uid, .version
  // end part
}) AS items
