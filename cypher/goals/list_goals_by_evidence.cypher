// A page of the readable goals that each of some observations is evidence of, oldest link first; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $pages AS page
CALL (page) {
  MATCH (o:Observation&Memory {uid: page.uid})-[link:EVIDENCES]->(g:Goal)
  WHERE o.scope_id IN $readable AND link.until IS NULL AND (g.scope_id IN $readable
    // part: shared(g) if $grantees
  )
  WITH page, link, g, link.since.epochSeconds * 1000000 + link.since.microsecond AS at
  WHERE page.after IS NULL OR at > page.after[0] OR at = page.after[0] AND g.uid > page.after[1]
  WITH link, g, at
  ORDER BY at, g.uid
  LIMIT $limit
  RETURN collect({key: [at, g.uid], confidence: link.confidence, note: link.note, since: toString(link.since), node: g {
    // part: goal_fields(g)
  }}) AS found
}
WITH page, found WHERE size(found) > 0
RETURN collect({number: page.number, found: found}) AS items
