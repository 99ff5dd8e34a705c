// How many events have no place yet, up to a bound, when the oldest of them happened, and whether readers have yet to be told; one row.
// mode: read, returns: one, scope: system - the relay serves every organisation
CYPHER 25
CALL () {
  MATCH (e:Unsequenced)
  USING INDEX SEEK e:Unsequenced(uid)
  WHERE e.uid > ''
  WITH e LIMIT $most
  RETURN count(e) AS waiting
}
RETURN waiting, head(COLLECT {
  MATCH (oldest:Unsequenced)
  USING INDEX SEEK oldest:Unsequenced(uid)
  WHERE oldest.uid > ''
  RETURN oldest.created_at
  ORDER BY oldest.uid
  LIMIT 1
}) AS since, EXISTS {
  MATCH (counter:Untold)
  USING INDEX SEEK counter:Untold(org_id)
  WHERE counter.org_id > ''
} AS untold
