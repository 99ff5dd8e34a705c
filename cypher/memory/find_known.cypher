// Locks texts of a space, and says which client keys and forgotten texts it has, and which sources are readable; one row.
// mode: write, returns: one, scope: caller
CYPHER 25
CALL () {
  // Each key is locked by a constraint until the commit, also when its node is deleted again: a text is not remembered while
  // it is being forgotten. `text_keys` is sorted, so that two transactions wait for each other instead of deadlocking.
  UNWIND $text_keys AS key
  WITH key WHERE $scope_id IN $writable
  MERGE (held:KeyLock {scope_id: $scope_id, key: key})
  DELETE held
  RETURN count(*) AS held
}
CALL () {
  UNWIND $client_keys AS key
  MATCH (m:Remembered {scope_id: $scope_id, client_key: key})
  USING INDEX SEEK m:Remembered(scope_id, client_key)
  WHERE m.scope_id IN $writable
  RETURN collect(m {.uid, .client_key, .client_hash, .text_key}) AS known
}
CALL () {
  UNWIND $text_keys AS key
  MATCH (t:Tombstone {scope_id: $scope_id, text_key: key})
  WHERE t.scope_id IN $writable
  RETURN collect(t.text_key) AS forgotten
}
CALL () {
  UNWIND $sources AS uid
  MATCH (source:Memory {uid: uid})
  WHERE source.scope_id IN $readable AND coalesce(source.status, '') <> 'forgotten' AND NOT source:Passage
  RETURN collect(source.uid) AS sources
}
RETURN known, forgotten, sources
