// The proposals that add a type of some name and are not decided, or hold the folded name; the name is locked until the commit. One row.
// mode: write, returns: one, scope: organisation
CYPHER 25
CALL () {
  // Two transactions that would add the same type wait for each other: the constraint holds the key until the commit.
  MERGE (held:KeyLock {scope_id: $scope_id, key: 'proposal ' + $name_key})
  DELETE held
  RETURN count(*) AS held
}
CALL () {
  MATCH (p:RegistryProposal {org_id: $org_id, name_key: $name_key})
  RETURN p
  UNION
  // A revision may have given the id to a proposal with another name.
  UNWIND ['open', 'approved'] AS status
  MATCH (p:RegistryProposal)
  USING INDEX SEEK p:RegistryProposal(scope_id, status, uid)
  WHERE p.scope_id = $scope_id AND p.status = status AND p.uid IS NOT NULL
    AND p.proposal_type = 'add' AND p.subject = 'action_type' AND p.type_id = $type_id
  RETURN p
}
SET p.locked_at = $now
RETURN collect({uid: p.uid, status: p.status, name_key: p.name_key}) AS items
