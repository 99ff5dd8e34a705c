// A page of the events of a session of the caller, oldest first; no row if the session is not the caller's.
// mode: read
// scope: caller
// params: session, scope_id, device_id, readable, after, limit
// returns: optional
CYPHER 25
CALL () {
  // part: own_session(s)
  MATCH (s:Session)
  WHERE s.uid = $session
  RETURN s
  UNION
  MATCH (s:Session)
  WHERE s.scope_id = $scope_id AND s.key = $session
  RETURN s
  // end part
}
WITH s
WHERE
  // part: is_own(s)
  s.scope_id = $scope_id AND s.scope_id IN $readable AND coalesce(s.device_id, '') = $device_id
  // end part
RETURN s.uid AS session, COLLECT {
  MATCH (e:OutboxEvent)
  USING INDEX SEEK e:OutboxEvent(aggregate, uid)
  WHERE e.aggregate = s.uid AND e.uid > $after AND e.scope_id = s.scope_id
  RETURN e {.uid, topic: e.type, payload: e.data}
  ORDER BY e.aggregate, e.uid
  LIMIT $limit
} AS items
