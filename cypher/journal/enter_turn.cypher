// Begins the turn with a name, or finds it, and ends it if asked; one row with the turn as it was before its end, and the observations of some spaces that wait for an evaluation.
// mode: write, returns: one, scope: organisation
CYPHER 25
WITH $turn AS row
// part: turn_by_name(row, turn)
WITH turn, turn.ended_at AS ended_at
CALL (turn, ended_at) {
  WITH turn
  // What was abandoned is completed by who comes back to it.
  WHERE $ends AND (ended_at IS NULL OR turn.status = 'abandoned')
  SET turn.ended_at = $now, turn.status = 'complete', turn.updated_at = $now, turn.version = turn.version + 1
}
CALL () {
  // One seek for each of the spaces, and none if nobody asks.
  UNWIND $waiting_in AS scope_id
  CALL (scope_id) {
    MATCH (o:Observation)
    USING INDEX SEEK o:Observation(scope_id, awaits_since, uid)
    WHERE o.scope_id = scope_id AND o.awaits_since IS NOT NULL AND o.uid IS NOT NULL
    RETURN o.uid AS uid
    // What fails again goes behind the others.
    ORDER BY o.scope_id, o.awaits_since, o.uid
    LIMIT $most
  }
  RETURN collect(uid) AS awaiting
}
// A turn that took no other's name identifies its deltas by that name: so did all turns before names could pass on.
RETURN turn {.uid, .created_at, handle: turn.key,
             deltas_of: CASE WHEN turn.follows_uid IS NULL THEN coalesce(turn.former_key, turn.key) ELSE turn.uid END,
             session_uid: head(COLLECT { MATCH (turn)-[:IN_SESSION]->(s:Session) RETURN s.uid })} AS turn,
       ended_at, awaiting
