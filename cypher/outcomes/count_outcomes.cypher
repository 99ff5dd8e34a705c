// The number of readable outcomes, of all turns or of one; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $readable AS scope_id
UNWIND $successes AS success
CALL (scope_id, success) {
  MATCH (o:Outcome)
  USING INDEX SEEK o:Outcome(scope_id, success, uid)
  WHERE o.scope_id = scope_id AND o.success = success AND o.uid IS NOT NULL AND ($turn_uid IS NULL OR o.turn_uid = $turn_uid)
  RETURN count(o) AS number
}
RETURN sum(number) AS total
