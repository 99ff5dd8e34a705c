// The readable turns among some ids, one row.
// mode: read
// scope: caller
// params: uids, readable
// returns: one
CYPHER 25
UNWIND $uids AS uid
MATCH (turn:Turn {uid: uid})
WHERE turn.scope_id IN $readable
RETURN collect(turn {
  // part: turn_fields(turn)
  .uid, .scope_id, .created_at, .by_uid, .status, .ended_at, .completed_at, .final_at, .commit_status, .summary, key: coalesce(turn.former_key, turn.key), handle: turn.key
  // end part
}) AS items
