// What an earlier session of the caller left unfinished and another one does not hold, the most salient first; no row if the caller does not have both.
// mode: read, returns: optional, scope: caller
CYPHER 25
CALL () {
  // part: own_session(s)
}
WITH s
WHERE
  // part: is_own(s)
OPTIONAL MATCH (by_uid:Session {uid: $from})
OPTIONAL MATCH (by_key:Session {scope_id: $scope_id, key: $from})
WITH s, coalesce(by_uid, by_key) AS o
WHERE
  // part: is_own_on_any_device(o)
RETURN s.uid AS session, s.status AS status, o = s AS is_same, COLLECT {
  // part: unfinished(s, o)
  LIMIT $limit
} AS items
