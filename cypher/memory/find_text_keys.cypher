// Which of some texts a space remembers; one row with their keys.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $text_keys AS key
CALL (key) {
  MATCH (m:Remembered)
  USING INDEX SEEK m:Remembered(scope_id, text_key, uid)
  WHERE m.scope_id = $scope_id AND $scope_id IN $readable AND m.text_key = key AND m.uid IS NOT NULL AND m.live = true
    AND NOT coalesce(m.retained_until <= $now, false)
  RETURN m
  LIMIT 1
}
RETURN collect(key) AS known
