// Up to a number of sessions that changed since they were compared with others, the longest waiting first; one row.
// mode: read, returns: one, scope: system - the job serves every organisation
CYPHER 25
CALL () {
  MATCH (s:Session)
  USING INDEX SEEK s:Session(uncorrelated_since)
  WHERE s.uncorrelated_since <= $now
  RETURN s
  ORDER BY s.uncorrelated_since
  LIMIT $limit
}
RETURN collect(s {.uid, .org_id, .scope_id, .by_uid}) AS items
