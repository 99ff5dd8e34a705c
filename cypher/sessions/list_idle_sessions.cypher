// Up to a number of active sessions without activity since a time, and for as long as each may be idle; longest idle first; one row.
// mode: read, returns: one, scope: system - the job serves every organisation
CYPHER 25
CALL () {
  MATCH (s:Session)
  USING INDEX SEEK s:Session(status, last_activity)
  WHERE s.status = 'active' AND s.last_activity <= $before
    AND s.last_activity + duration({minutes: coalesce(s.idle_minutes, 0)}) <= $now
  RETURN s
  ORDER BY s.status, s.last_activity
  LIMIT $limit
}
RETURN collect(s {.uid, .org_id, .scope_id, .device_id, .last_activity}) AS items
