// The number of observations that are evidence of a goal or name its id or key; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
CALL () {
  MATCH (g:Goal {uid: $goal_id})<-[evidence:EVIDENCES]-(o:Observation)
  WHERE g.scope_id IN $readable AND evidence.until IS NULL
  RETURN o
  UNION
  UNWIND $readable AS scope_id
  MATCH (o:Observation {scope_id: scope_id, context_goal_id: $goal_id})
  USING INDEX SEEK o:Observation(scope_id, context_goal_id, uid)
  WHERE o.uid < $before AND o.uid > $since_uid
  RETURN o
  UNION
  UNWIND $readable AS scope_id
  MATCH (o:Observation {scope_id: scope_id, goal_key: $goal_key})
  USING INDEX SEEK o:Observation(scope_id, goal_key, uid)
  WHERE o.uid < $before AND o.uid > $since_uid
  RETURN o
}
WITH DISTINCT o
WHERE o.scope_id IN $readable
    // If both an id and a key are given, both conditions apply.
    // part: observation_filter_whole(o)
RETURN count(o) AS total
