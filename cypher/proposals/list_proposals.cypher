// A page of proposals by status, newest first, one row.
// mode: read, returns: one, scope: caller
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
}) AS items
