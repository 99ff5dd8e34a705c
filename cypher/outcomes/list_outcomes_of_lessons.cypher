// A page of the outcomes that taught or confirmed each of some lessons, in the order in which they were recorded; one row.
// mode: read
// scope: caller
// params: pages, limit, readable
// returns: one
CYPHER 25
UNWIND $pages AS page
CALL (page) {
  MATCH (m:Lesson&Memory {uid: page.uid})<-[:TAUGHT|SUPPORTS]-(o:Outcome)
  WHERE m.scope_id IN $readable AND o.scope_id IN $readable AND (page.after IS NULL OR o.uid > page.after[0])
  WITH o
  ORDER BY o.uid
  LIMIT $limit
  RETURN collect(o {
    key: [o.uid],
    // part: outcome_fields(o)
    .uid, .scope_id, .turn_uid, .success, .result, .user_satisfaction, .what_worked, .what_could_improve, .conflicting, .episode_uid, .client_key,
    created_at: toString(o.created_at), .by_uid
    // end part
  }) AS found
}
WITH page, found WHERE size(found) > 0
RETURN collect({number: page.number, found: found}) AS items
