// Deletes what sessions were about, as far as it came from texts that lived in them alone, once nothing is compared with them any more; one row with the number of sessions.
// mode: write, returns: one, scope: system - the job serves every organisation
CYPHER 25
CALL () {
  MATCH (s:Session)
  USING INDEX SEEK s:Session(digest_until)
  WHERE s.digest_until < $now
  RETURN s
  ORDER BY s.digest_until
  LIMIT $limit
}
REMOVE s.digest, s.digest_encoder, s.digest_until, s.uncorrelated_since
WITH collect(s) AS found
CALL (found) {
  UNWIND found AS s
  MATCH (s)-[about:ON]->(t:Topic)
  WHERE NOT about.durable
  WITH about, t
  // Sorted, as whoever links to topics locks them.
  ORDER BY t.scope_id, t.key
  DELETE about
  // part: unused_topic(t)
}
RETURN size(found) AS written
