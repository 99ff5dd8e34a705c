// The readable turns before and after each of some turns in their space, of several that came after one the first; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $uids AS uid
MATCH (of:Turn {uid: uid})
WHERE of.scope_id IN $readable
CALL (of) {
  MATCH (turn:Turn)-[:NEXT]->(of)
  WHERE turn.scope_id IN $readable
  RETURN collect(turn {
    // part: turn_fields(turn)
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
  }) AS after
}
RETURN collect({uid: of.uid, previous: head(before), next: head(after)}) AS items
