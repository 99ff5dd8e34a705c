// A page of the events of a session of the caller, oldest first; no row if the session is not the caller's.
// mode: read, returns: optional, scope: caller
CYPHER 25
CALL () {
  // part: own_session(s)
}
WITH s
WHERE
  // part: is_own(s)
RETURN s.uid AS session, COLLECT {
  MATCH (e:OutboxEvent)
  USING INDEX SEEK e:OutboxEvent(aggregate, uid)
  WHERE e.aggregate = s.uid AND e.uid > $after AND e.scope_id = s.scope_id
  RETURN e {.uid, topic: e.type, payload: e.data}
  ORDER BY e.aggregate, e.uid
  LIMIT $limit
} AS items
