// Stores a proposal with its first version for each name that has none yet; one row with the proposals of all names.
// mode: write, returns: one, scope: organisation
CYPHER 25
// The store has sorted the names: two transactions that name the same types lock them in the same order. The
// uniqueness constraint makes the second one wait, and then it finds the proposal of the first.
UNWIND $rows AS row
CALL (row) {
  MERGE (held:KeyLock {scope_id: $scope_id, key: 'proposal ' + row.name_key})
  DELETE held
  RETURN count(*) AS held
}
CALL (row) {
  // A revision may have given the id to a proposal with another name.
  UNWIND ['open', 'approved'] AS status
  MATCH (p:RegistryProposal)
  USING INDEX SEEK p:RegistryProposal(scope_id, status, uid)
  WHERE p.scope_id = $scope_id AND p.status = status AND p.uid IS NOT NULL
    AND p.proposal_type = 'add' AND p.subject = 'action_type' AND p.type_id = row.properties.type_id
  RETURN collect(p)[0] AS named
}
CALL (row, named) {
  WITH row, named
  WHERE named IS NULL
  MERGE (p:RegistryProposal {org_id: $org_id, name_key: row.name_key})
    ON CREATE SET p += row.properties
  RETURN p
  UNION
  WITH row, named
  WHERE named IS NOT NULL
  RETURN named AS p
}
WITH p, row, p.uid = row.properties.uid AS created
FOREACH (version IN CASE WHEN created THEN [row.version] ELSE [] END |
  CREATE (v:Version)-[:OF]->(p)
  SET v = version
)
RETURN collect({name_key: row.name_key, uid: p.uid, status: p.status, created: created}) AS items
