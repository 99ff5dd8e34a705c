// Locks a text of a space until the commit against everybody who stores texts there; one row.
// mode: write, returns: one, scope: caller
CYPHER 25
CALL () {
  // One after another: two that share the lock of those who store texts would both wait to have it alone.
  UNWIND ['forgetting', $text_key] AS key
  WITH key WHERE $scope_id IN $writable
  MERGE (held:KeyLock {scope_id: $scope_id, key: key})
  DELETE held
  RETURN count(*) AS held
}
CALL (held) {
  WITH held WHERE held > 0
  OPTIONAL MATCH (former:KeyLock {scope_id: $scope_id, key: 'texts'})
  DELETE former
}
CALL (held) {
  WITH held WHERE held > 0
  // Whoever stores a text of the space has found the key that is created here: this waits for their commits.
  CREATE (:KeyLock {scope_id: $scope_id, key: 'texts'})
}
RETURN held
