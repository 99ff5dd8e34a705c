// The readable proposals among some ids, one row.
// mode: read
// scope: caller
// params: uids, readable
// returns: one
CYPHER 25
UNWIND $uids AS uid
MATCH (p:RegistryProposal {uid: uid})
WHERE p.scope_id IN $readable
RETURN collect(p {
  // part: proposal_fields(p)
  .uid, .org_id, .scope_id, .proposal_type, .subject, .type_id, .requested_name, .display_name, .description, .diff,
  .suggested_policies, .allowed_statuses, .allowed_transitions, .rationale, .examples, .risks, .created_from_turn_id,
  .status, .status_reason, .authors, .reviewers, .reviews, .name_key, .repo, .branch, .commit, .pr_url, .exported_at,
  .merged_at, created_at: toString(p.created_at), updated_at: toString(p.updated_at), .by_uid, .version
  // end part
}) AS items
