// A page of the readable observations linked to each of some goals as evidence, in the order of linking; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $pages AS page
CALL (page) {
  MATCH (g:Goal {uid: page.uid})<-[link:EVIDENCES]-(o:Observation)
  // A share of a goal does not make its observations readable: their own space must be.
  WHERE o.scope_id IN $readable AND link.until IS NULL AND (g.scope_id IN $readable
    // part: shared(g) if $grantees
  )
  // A cursor holds the time of the link as microseconds: any whole number is a time, but not any text.
  WITH page, link, o, link.since.epochSeconds * 1000000 + link.since.microsecond AS at
  WHERE (page.after IS NULL OR at > page.after[0]
         OR at = page.after[0] AND (link.position > page.after[1] OR link.position = page.after[1] AND o.uid > page.after[2]))
  WITH link, o, at
  ORDER BY at, link.position, o.uid
  LIMIT $limit
  CALL (link, o) {
    // The first change of the text after the link has the text of the link as its old value.
    WITH link, o WHERE o.version > link.version
    MATCH (v:Version)
    USING INDEX SEEK v:Version(of_uid, number)
    WHERE v.of_uid = o.uid AND v.number > link.version AND 'content' IN v.fields
    WITH v
    ORDER BY v.of_uid, v.number
    LIMIT 1
    RETURN collect(v.before) AS replaced
  }
  RETURN collect({key: [at, link.position, o.uid], confidence: link.confidence, note: link.note, since: toString(link.since), replaced: head(replaced), node: o {
    // part: observation_fields(o)
  }}) AS found
}
WITH page, found WHERE size(found) > 0
RETURN collect({number: page.number, found: found}) AS items
