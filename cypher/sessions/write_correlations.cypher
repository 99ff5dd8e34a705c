// Writes how a locked session is related to others, and ends its relation to those that it is no longer; one row with the number of relations.
// mode: write
// scope: system - the job serves every organisation; the relations are within one space
// params: uid, rows
// returns: one
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
  MATCH (o:Session {uid: row.uid})
  WHERE o.scope_id = s.scope_id
  WITH row, CASE WHEN row.is_later THEN o ELSE s END AS later, CASE WHEN row.is_later THEN s ELSE o END AS earlier
  MERGE (later)-[c:CORRELATES_WITH]->(earlier)
  SET c = row.properties
  RETURN count(c) AS number
}
RETURN number AS written
