// A batch of the proposals of a status of every organisation, in order of their ids; one row.
// mode: read
// scope: system - the registry that is loaded serves every organisation
// params: status, after, batch
// returns: one
CYPHER 25
MATCH (p:RegistryProposal)
USING INDEX SEEK p:RegistryProposal(status, uid)
WHERE p.status = $status AND p.uid > $after
WITH p
ORDER BY p.status, p.uid
LIMIT $batch
RETURN collect(p {
  // part: proposal_fields(p)
  .uid, .org_id, .scope_id, .proposal_type, .subject, .type_id, .requested_name, .display_name, .description, .diff,
  .suggested_policies, .allowed_statuses, .allowed_transitions, .rationale, .examples, .risks, .created_from_turn_id,
  .status, .status_reason, .authors, .reviewers, .reviews, .name_key, .repo, .branch, .commit, .pr_url, .exported_at,
  .merged_at, created_at: toString(p.created_at), updated_at: toString(p.updated_at), .by_uid, .version
  // end part
}) AS items
