// A page of the readable observations that each of some invocations resulted in, oldest first; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $pages AS page
CALL (page) {
  MATCH (inv:ToolInvocation {uid: page.uid})-[:RESULTED_IN]->(o:Observation)
  WHERE inv.scope_id IN $readable AND o.scope_id IN $readable AND (page.after IS NULL OR o.uid > page.after[0])
  WITH o
  ORDER BY o.uid
  LIMIT $limit
  RETURN collect({key: [o.uid], node: o {
    // part: observation_fields(o)
  }}) AS found
}
WITH page, found WHERE size(found) > 0
RETURN collect({number: page.number, found: found}) AS items
