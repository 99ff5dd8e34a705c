// A page of the changes made in a turn in the readable spaces, newest first; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
// Two actors may have chosen the same name for a turn.
MATCH (turn:Turn {org_id: $org_id, key: $turn_key})
UNWIND $readable AS scope_id
CALL (turn, scope_id) {
  MATCH (e:OutboxEvent)
  USING INDEX SEEK e:OutboxEvent(scope_id, turn_uid, uid)
  WHERE e.scope_id = scope_id AND e.turn_uid = turn.uid AND e.uid > $since_uid AND e.uid < $before_uid
    AND ($actor_id IS NULL OR e.by_uid = $actor_id)
    AND ($operations IS NULL OR e.type IN $operations)
    AND ($since IS NULL OR e.created_at >= $since) AND ($until IS NULL OR e.created_at < $until)
  RETURN e
  // All properties, although some are constant here: only then does the planner use the order of the index.
  ORDER BY e.scope_id DESC, e.turn_uid DESC, e.uid DESC
  LIMIT $limit
}
WITH e
ORDER BY e.uid DESC
LIMIT $limit
RETURN collect(e {
  // part: event_fields(e)
}) AS items
