// Locks the readable proposals among some ids, so that none changes before the commit; one row.
// mode: write
// scope: caller
// params: uids, readable, now
// returns: one
CYPHER 25
// The ids must be sorted: two changes of the same proposals wait for each other instead of deadlocking.
UNWIND $uids AS uid
MATCH (p:RegistryProposal {uid: uid})
WHERE p.scope_id IN $readable
SET p.locked_at = $now
WITH p
RETURN collect(p {
  // part: proposal_fields(p)
  .uid, .org_id, .scope_id, .proposal_type, .subject, .type_id, .requested_name, .display_name, .description, .diff,
  .suggested_policies, .allowed_statuses, .allowed_transitions, .rationale, .examples, .risks, .created_from_turn_id,
  .status, .status_reason, .authors, .reviewers, .reviews, .name_key, .repo, .branch, .commit, .pr_url, .exported_at,
  .merged_at, created_at: toString(p.created_at), updated_at: toString(p.updated_at), .by_uid, .version
  // end part
}) AS items
