// Counts the proposals that have one of the statuses; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $readable AS scope_id
UNWIND $statuses AS status
CALL (scope_id, status) {
  MATCH (p:RegistryProposal)
  USING INDEX SEEK p:RegistryProposal(scope_id, status, uid)
  // The index is used only if every one of its properties has a condition, hence the id.
  WHERE p.scope_id = scope_id AND p.status = status AND p.uid IS NOT NULL
    AND ($type_id IS NULL OR p.type_id = $type_id)
  RETURN count(p) AS matching
}
RETURN sum(matching) AS total
