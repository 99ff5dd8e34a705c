// Writes how a locked session is related to others, and ends its relation to those that it is no longer; one row with the number of relations.
// mode: write, returns: one, scope: system - the job serves every organisation; the relations are within one space
CYPHER 25
MATCH (s:Session {uid: $uid})
REMOVE s.uncorrelated_since
WITH s
CALL (s) {
  MATCH (s)-[old:CORRELATES_WITH]-(o:Session)
  // A relation to a session that is no longer compared is history.
  WHERE (o.status = 'active' OR o.digest_until IS NOT NULL) AND NOT o.uid IN [row IN $rows | row.uid]
  DELETE old
}
CALL (s) {
  UNWIND $rows AS row
  MATCH (later:Session {uid: row.uid})
  WHERE row.is_later AND later.scope_id = s.scope_id
  MERGE (later)-[c:CORRELATES_WITH]->(s)
  SET c = row.properties
  RETURN count(c) AS from_later
}
CALL (s) {
  UNWIND $rows AS row
  MATCH (earlier:Session {uid: row.uid})
  WHERE NOT row.is_later AND earlier.scope_id = s.scope_id
  MERGE (s)-[c:CORRELATES_WITH]->(earlier)
  SET c = row.properties
  RETURN count(c) AS to_earlier
}
RETURN from_later + to_earlier AS written
