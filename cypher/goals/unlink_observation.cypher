// Ends an observation's link to a goal; the link stays as history. One row with the number of links ended, and what has moved the goal since it got its status.
// mode: write, returns: one, scope: caller
CYPHER 25
MATCH (g:Goal {uid: $goal_id})
WHERE g.scope_id IN $writable
  // part: shared_for_writing(g) if $grantees
MATCH (:Observation&Memory {uid: $observation_id})-[link:EVIDENCES]->(g)
WHERE link.until IS NULL
SET link.until = $now, link.by = $actor_id
WITH count(link) AS ended
CALL () {
  OPTIONAL MATCH (v:Version)
  USING INDEX SEEK v:Version(of_uid, number)
  WHERE v.of_uid = $goal_id AND v.number > 0 AND 'status' IN v.fields
  // Both properties, although one is constant here: only then does the planner use the order of the index.
  ORDER BY v.of_uid DESC, v.number DESC
  LIMIT 1
  RETURN coalesce(v.number, 0) AS since
}
CALL (since) {
  MATCH (v:Version)
  USING INDEX SEEK v:Version(of_uid, number)
  WHERE v.of_uid = $goal_id AND v.number >= since AND any(field IN v.fields WHERE field IN ['status', 'progress'])
  RETURN collect(DISTINCT v.fields) AS moves
}
CALL (since) {
  OPTIONAL MATCH (v:Version)
  USING INDEX SEEK v:Version(of_uid, number)
  WHERE v.of_uid = $goal_id AND v.number < since AND 'progress' IN v.fields
  ORDER BY v.of_uid DESC, v.number DESC
  LIMIT 1
  RETURN v.changes AS earlier
}
RETURN ended, moves, earlier
