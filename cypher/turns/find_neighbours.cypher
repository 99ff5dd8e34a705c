// The readable turns before and after each of some turns in their space, of several that came after one the first; one row.
// mode: read
// scope: caller
// params: uids, readable
// returns: one
CYPHER 25
UNWIND $uids AS uid
MATCH (of:Turn {uid: uid})
WHERE of.scope_id IN $readable
CALL (of) {
  MATCH (turn:Turn)-[:NEXT]->(of)
  WHERE turn.scope_id IN $readable
  RETURN collect(turn {
    // part: turn_fields(turn)
    .uid, .scope_id, .created_at, .by_uid, .status, .ended_at, .completed_at, .final_at, .commit_status, .summary, key: coalesce(turn.former_key, turn.key), handle: turn.key
    // end part
  }) AS before
}
CALL (of) {
  MATCH (of)-[:NEXT]->(turn:Turn)
  WHERE turn.scope_id IN $readable
  WITH turn
  ORDER BY turn.uid
  LIMIT 1
  RETURN collect(turn {
    // part: turn_fields(turn)
    .uid, .scope_id, .created_at, .by_uid, .status, .ended_at, .completed_at, .final_at, .commit_status, .summary, key: coalesce(turn.former_key, turn.key), handle: turn.key
    // end part
  }) AS after
}
RETURN collect({uid: of.uid, previous: head(before), next: head(after)}) AS items
