// The fields of a turn; `handle` is what it is known by.
// variables: turn
.uid, .scope_id, .created_at, .by_uid, .status, .ended_at, key: coalesce(turn.former_key, turn.key), handle: turn.key
