// How many items a session of the caller holds and held; one row.
// mode: read
// scope: caller
// params: session, scope_id, device_id, readable
// returns: one
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
MATCH (s)-[h:HOLDS]->()
RETURN count(h) AS total
