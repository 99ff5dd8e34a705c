// The readable turn with this client id, one in the caller's own space before others; no row if there is none.
// mode: read, returns: optional, scope: caller
CYPHER 25
UNWIND $readable AS scope_id
MATCH (turn:Turn {scope_id: scope_id, key: $key})
WITH turn
ORDER BY turn.scope_id = $home DESC, turn.uid
LIMIT 1
RETURN turn {
  // part: turn_fields(turn)
} AS turn
