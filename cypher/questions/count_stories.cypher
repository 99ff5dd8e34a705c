// Counts the stories that have one of the statuses; one row.
// mode: read
// scope: caller
// params: readable, statuses
// returns: one
CYPHER 25
UNWIND $readable AS scope_id
UNWIND $statuses AS status
CALL (scope_id, status) {
  MATCH (s:Story)
  USING INDEX SEEK s:Story(scope_id, status, uid)
  // The index is used only if every one of its properties has a condition.
  WHERE s.scope_id = scope_id AND s.status = status AND s.uid IS NOT NULL
  RETURN count(s) AS matching
}
RETURN sum(matching) AS total
