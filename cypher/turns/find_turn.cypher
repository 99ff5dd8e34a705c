// The readable turn with this client id, one in the caller's own space before others; no row if there is none.
// mode: read
// scope: caller
// params: readable, key, home
// returns: optional
CYPHER 25
UNWIND $readable AS scope_id
MATCH (turn:Turn {scope_id: scope_id, key: $key})
WITH turn
ORDER BY turn.scope_id = $home DESC, turn.uid
LIMIT 1
RETURN turn {
  // part: turn_fields(turn)
  .uid, .scope_id, .created_at, .by_uid, .status, .ended_at, .completed_at, .final_at, .commit_status, .summary, key: coalesce(turn.former_key, turn.key), handle: turn.key
  // end part
} AS turn
