// Begins the turn with a name, or finds it, and ends it if asked; one row with the turn as it was before its end.
// mode: write
// scope: organisation
// params: org_id, turn, ends, now
// returns: one
CYPHER 25
WITH $turn AS row
// part: turn_by_name(row, turn)
OPTIONAL MATCH (former:Turn {scope_id: row.scope_id, key: row.key})
WHERE former.created_at <= row.free_before AND former.uid <> row.key
SET former.former_key = row.key, former.key = former.uid
MERGE (turn:Turn {scope_id: row.scope_id, key: row.key})
  ON CREATE SET turn.uid = row.uid, turn.org_id = $org_id, turn.name = row.name, turn.created_at = row.now,
                turn.by_uid = row.by_uid, turn.updated_at = row.now, turn.version = 1, turn.status = 'open',
                turn.follows_uid = former.uid
// end part
WITH turn, turn.ended_at AS ended_at
CALL (turn, ended_at) {
  WITH turn
  WHERE $ends AND ended_at IS NULL
  SET turn.ended_at = $now, turn.status = 'ended', turn.updated_at = $now, turn.version = turn.version + 1
}
// A turn that took no other's name identifies its deltas by that name: so did all turns before names could pass on.
RETURN turn {.uid, .created_at, handle: turn.key,
             deltas_of: CASE WHEN turn.follows_uid IS NULL THEN coalesce(turn.former_key, turn.key) ELSE turn.uid END,
             session_uid: head(COLLECT { MATCH (turn)-[:IN_SESSION]->(s:Session) RETURN s.uid })} AS turn,
       ended_at
