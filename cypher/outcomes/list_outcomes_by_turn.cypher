// A page of the readable outcomes of a turn, newest first; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
OPTIONAL MATCH (turn:Turn {uid: $turn_uid})-[:RESULTED_IN]->(o:Outcome)
WHERE o.scope_id IN $readable AND o.success IN $successes AND o.uid < $before_uid
WITH o
ORDER BY o.uid DESC
LIMIT $limit
RETURN collect(o {
  // part: outcome_fields(o)
}) AS items
