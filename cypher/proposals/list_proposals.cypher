// A page of proposals by status, newest first, one row.
// mode: read
// scope: caller
// params: readable, statuses, type_id, before_uid, limit
// returns: one
CYPHER 25
UNWIND $readable AS scope_id
UNWIND $statuses AS status
CALL (scope_id, status) {
  MATCH (p:RegistryProposal)
  USING INDEX SEEK p:RegistryProposal(scope_id, status, uid)
  WHERE p.scope_id = scope_id AND p.status = status AND p.uid < $before_uid
    AND ($type_id IS NULL OR p.type_id = $type_id)
  RETURN p
  ORDER BY p.scope_id DESC, p.status DESC, p.uid DESC
  LIMIT $limit
}
WITH p
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
