// A page of the trace of each of some turns, in order of time, as far as the caller may read; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $pages AS page
CALL (page) {
  MATCH (turn:Turn {uid: page.uid})-[:LOGGED]->(entry:TraceEvent)
  WHERE turn.scope_id IN $readable AND entry.scope_id IN $readable AND entry.uid >= $oldest AND (page.after IS NULL OR entry.uid > page.after[0])
  WITH turn, entry
  ORDER BY entry.uid
  LIMIT $limit
  RETURN collect(entry {key: [entry.uid], .uid, .created_at, turn_key: coalesce(turn.former_key, turn.key), .kind, .message, .ids, .details}) AS found
}
WITH page, found WHERE size(found) > 0
RETURN collect({number: page.number, found: found}) AS items
