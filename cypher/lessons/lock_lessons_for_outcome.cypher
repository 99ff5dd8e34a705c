// Locks subjects and texts of a space until the commit, and the lessons that are about them or have some ids; says what an outcome has said of each, and which texts were forgotten; one row.
// mode: write, returns: one, scope: caller
CYPHER 25
CALL () {
  // Each key is locked by a constraint until the commit, also when its node is deleted again: a lesson is not learned twice, nor
  // while its text is being forgotten. `locks` is sorted, so that two transactions wait for each other instead of deadlocking.
  UNWIND $locks AS key
  WITH key WHERE $scope_id IN $writable
  MERGE (held:KeyLock {scope_id: $scope_id, key: key})
  DELETE held
  RETURN count(*) AS held
}
CALL () {
  UNWIND $text_keys AS key
  MATCH (t:Tombstone {scope_id: $scope_id, text_key: key})
  WHERE t.scope_id IN $writable
  RETURN collect(t.text_key) AS forgotten
}
CALL (held) {
  CALL () {
    UNWIND $lesson_keys AS key
    MATCH (m:Lesson {scope_id: $scope_id, lesson_key: key})
    RETURN m
    UNION
    UNWIND $subjects AS subject
    MATCH (m:Lesson {scope_id: $scope_id, subject: subject})
    RETURN m
    UNION
    UNWIND $text_keys AS key
    MATCH (m:Remembered {scope_id: $scope_id, text_key: key})
    WHERE m:Lesson AND m.uid IS NOT NULL
    RETURN m
    UNION
    UNWIND $uids AS uid
    MATCH (m:Lesson&Memory {uid: uid})
    WHERE m.scope_id = $scope_id
    RETURN m
  }
  WITH m
  WHERE m.scope_id IN $writable
  WITH m
  ORDER BY m.uid
  SET m.locked_at = $now
  WITH m
  RETURN collect(m {
    // part: lesson_fields(m)
    , said: [(m)<-[said:TAUGHT|SUPPORTS|CONTRADICTS]-(outcome:Outcome) WHERE outcome.uid = $outcome_uid | type(said)]
  }) AS items
}
RETURN forgotten, items
