// A page of the contradictions of each of some observations that have not ended, newest first; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $pages AS page
CALL (page) {
  MATCH (o:Observation&Memory {uid: page.uid})-[link:CONTRADICTS]-(other:Observation)
  WHERE o.scope_id IN $readable AND link.until IS NULL AND other.scope_id IN $readable
  // A cursor holds the time of the link as microseconds: any whole number is a time, but not any text.
  WITH page, o, link, other, link.since.epochSeconds * 1000000 + link.since.microsecond AS at
  WHERE page.after IS NULL OR at < page.after[0] OR at = page.after[0] AND other.uid < page.after[1]
  WITH o, link, other, at
  ORDER BY at DESC, other.uid DESC
  LIMIT $limit
  RETURN collect({key: [at, other.uid], source_id: startNode(link).uid, target_id: endNode(link).uid, how: link.how,
                  kind: link.kind, since: toString(link.since),
                  // If both are active, it is not decided yet which one is true.
                  open: all(side IN [o, other] WHERE side.status = 'active' AND side.expires_at > $now)}) AS found
}
WITH page, found WHERE size(found) > 0
RETURN collect({number: page.number, found: found}) AS items
