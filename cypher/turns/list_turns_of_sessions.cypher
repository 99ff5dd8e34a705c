// A page of the turns in each of some sessions, newest first; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $pages AS page
CALL (page) {
  MATCH (s:Session {uid: page.uid})<-[:IN_SESSION]-(turn:Turn)
  WHERE s.scope_id IN $readable AND turn.scope_id IN $readable AND (page.after IS NULL OR turn.uid < page.after[0])
  WITH turn
  ORDER BY turn.uid DESC
  LIMIT $limit
  RETURN collect(turn {
    key: [turn.uid],
    turn: turn {
      // part: turn_fields(turn)
    }
  }) AS found
}
WITH page, found WHERE size(found) > 0
RETURN collect({number: page.number, found: found}) AS items
