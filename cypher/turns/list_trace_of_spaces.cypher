// A page of the trace of the readable spaces, newest first, also of what belongs to no turn; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $readable AS scope_id
CALL (scope_id) {
  MATCH (entry:TraceEvent)
  USING INDEX SEEK entry:TraceEvent(scope_id, uid)
  WHERE entry.scope_id = scope_id AND entry.uid < $before AND entry.uid >= $oldest AND ($kinds IS NULL OR entry.kind IN $kinds)
  RETURN entry
  // Both properties, although one is constant here: only then does the planner use the order of the index.
  ORDER BY entry.scope_id DESC, entry.uid DESC
  LIMIT $limit
}
WITH entry
ORDER BY entry.uid DESC
LIMIT $limit
RETURN collect(entry {
  .uid, .created_at, .kind, .message, .details,
  turn_key: head(COLLECT { MATCH (turn:Turn {uid: entry.turn_uid}) RETURN coalesce(turn.former_key, turn.key) }),
  // An entry may name what lies in other spaces.
  ids: COLLECT {
    UNWIND entry.ids AS uid
    WITH uid
    WHERE NOT EXISTS { MATCH (n:Memory|Goal|PendingAction|Question|Story|Space|ContextReceipt|Turn {uid: uid}) WHERE NOT coalesce(n.scope_id, n.uid) IN $readable }
    RETURN uid
  }
}) AS items
