// A page of the changes that an actor made in the readable spaces, newest first; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $readable AS scope_id
CALL (scope_id) {
  MATCH (e:OutboxEvent)
  USING INDEX SEEK e:OutboxEvent(scope_id, by_uid, uid)
  WHERE e.scope_id = scope_id AND e.by_uid = $actor_id AND e.uid > $since_uid AND e.uid < $before_uid
    AND ($operations IS NULL OR e.type IN $operations)
    AND ($since IS NULL OR e.created_at >= $since) AND ($until IS NULL OR e.created_at < $until)
  RETURN e
  // All properties, although some are constant here: only then does the planner use the order of the index.
  ORDER BY e.scope_id DESC, e.by_uid DESC, e.uid DESC
  LIMIT $limit
}
WITH e
ORDER BY e.uid DESC
LIMIT $limit
RETURN collect(e {
  // part: event_fields(e)
}) AS items
