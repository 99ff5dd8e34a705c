// Counts the stories that have one of the statuses; one row.
// mode: read
// scope: caller
// params: readable, grantees, statuses
// returns: one
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
  UNWIND $grantees AS grantee
  MATCH (:Actor {uid: grantee})-[may:MAY]->(root:Goal)
  WHERE may.until IS NULL
  MATCH (root) (()<-[down:CHILD_OF WHERE down.until IS NULL]-()){0,20} (g:Goal)
  WHERE g.scope_id = root.scope_id
  // end part
  MATCH (g)<-[about:ABOUT WHERE about.until IS NULL]-(q:Question)<-[:ANSWERS]-(s:Story)
  WHERE q.scope_id = g.scope_id AND s.scope_id = q.scope_id AND NOT s.scope_id IN $readable AND s.status IN $statuses
  RETURN count(DISTINCT s) AS shared
}
WITH total + shared AS total
// end only
RETURN total
