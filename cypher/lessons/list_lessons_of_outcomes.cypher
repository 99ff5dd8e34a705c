// A page of the lessons that each of some outcomes taught or confirmed, in order of their ids; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $pages AS page
CALL (page) {
  MATCH (o:Outcome {uid: page.uid})-[:TAUGHT|SUPPORTS]->(m:Lesson)
  WHERE o.scope_id IN $readable AND m.scope_id IN $readable AND (page.after IS NULL OR m.uid > page.after[0])
  WITH m
  ORDER BY m.uid
  LIMIT $limit
  RETURN collect(m {
    key: [m.uid],
    // part: lesson_fields(m)
  }) AS found
}
WITH page, found WHERE size(found) > 0
RETURN collect({number: page.number, found: found}) AS items
