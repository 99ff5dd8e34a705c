// A page of the outcomes of each of some turns, in the order in which they were recorded; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $pages AS page
CALL (page) {
  MATCH (turn:Turn {uid: page.uid})-[:RESULTED_IN]->(o:Outcome)
  WHERE turn.scope_id IN $readable AND o.scope_id IN $readable AND (page.after IS NULL OR o.uid > page.after[0])
  WITH o
  ORDER BY o.uid
  LIMIT $limit
  RETURN collect(o {
    key: [o.uid],
    // part: outcome_fields(o)
  }) AS found
}
WITH page, found WHERE size(found) > 0
RETURN collect({number: page.number, found: found}) AS items
