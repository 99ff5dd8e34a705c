// A page of the invocations of each of some observations, which these resulted from, in call order, as far as they are still kept; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $pages AS page
CALL (page) {
  MATCH (o:Observation&Memory {uid: page.uid})<-[:RESULTED_IN]-(inv:ToolInvocation)
  WHERE o.scope_id IN $readable AND inv.scope_id IN $readable AND inv.uid >= $oldest
    AND (page.after IS NULL OR inv.uid > page.after[0])
  WITH inv
  ORDER BY inv.uid
  LIMIT $limit
  RETURN collect(inv {
    key: [inv.uid],
    // part: invocation_fields(inv)
  }) AS found
}
WITH page, found WHERE size(found) > 0
RETURN collect({number: page.number, found: found}) AS items
