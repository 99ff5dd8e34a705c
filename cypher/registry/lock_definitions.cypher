// Locks the kept definitions of a registry until the commit and returns them, with the spaces that hear of changes; one row.
// mode: write, returns: one, scope: system - the files of a registry belong to no organisation
CYPHER 25
CALL () {
  // The uniqueness constraint holds the key until the commit, also when its node is deleted again: two processes that
  // start at the same moment compare one after the other.
  MERGE (held:KeyLock {scope_id: $registry, key: 'definitions'})
  DELETE held
  RETURN count(*) AS held
}
CALL () {
  MATCH (d:TypeDefinition)
  USING INDEX SEEK d:TypeDefinition(registry, type_id, number)
  WHERE d.registry = $registry AND d.type_id IS NOT NULL AND d.number IS NOT NULL
    AND (d.until IS NULL OR d.until > $ended_after)
  RETURN collect(d {.type_id, .number, .type_uid, .hash, .definition, .retired_statuses, .state, .since, .until}) AS items
}
CALL () {
  MATCH (common:Space)
  USING INDEX SEEK common:Space(org_id, key)
  WHERE common.org_id > '' AND common.key = 'common'
  RETURN collect({org_id: common.org_id, scope_id: common.uid}) AS spaces
}
RETURN items, spaces
