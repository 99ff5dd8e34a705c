// The fields of a turn; `handle` is what it is known by.
// variables: turn
.uid, .scope_id, .created_at, .by_uid, .status, .ended_at, .completed_at, .final_at, .commit_status, .summary, key: coalesce(turn.former_key, turn.key), handle: turn.key
