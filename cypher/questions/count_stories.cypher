// Counts the stories that have one of the statuses; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
CALL () {
  UNWIND $readable AS scope_id
  UNWIND $statuses AS status
  CALL (scope_id, status) {
    MATCH (s:Story)
    USING INDEX SEEK s:Story(scope_id, status, uid)
    // The index is used only if every one of its properties has a condition.
    WHERE s.scope_id = scope_id AND s.status = status AND s.uid IS NOT NULL
    RETURN count(s) AS matching
  }
  RETURN sum(matching) AS own
}
WITH own AS total
// only if $grantees
CALL () {
  // part: shared_goals(g)
  MATCH (g)<-[about:ABOUT WHERE about.until IS NULL]-(q:Question)<-[:ANSWERS]-(s:Story)
  WHERE q.scope_id = g.scope_id AND s.scope_id = q.scope_id AND NOT s.scope_id IN $readable AND s.status IN $statuses
  RETURN count(DISTINCT s) AS shared
}
WITH total + shared AS total
// end only
RETURN total
