// The number of the caller's sessions; one row.
// mode: read
// scope: caller
// params: readable, scope_id, device_id, statuses, key, entity
// returns: one
CYPHER 25
UNWIND $statuses AS status
CALL (status) {
  MATCH (s:Session)
  USING INDEX SEEK s:Session(scope_id, status, uid)
  WHERE
    // part: is_own(s)
    s.scope_id = $scope_id AND s.scope_id IN $readable AND coalesce(s.device_id, '') = $device_id
    // end part
    AND s.status = status AND s.uid IS NOT NULL
    AND ($key IS NULL OR s.key = $key)
    AND ($entity IS NULL OR EXISTS { (s)-[about:ON]->(:Topic {key: $entity}) WHERE about.entity })
  RETURN count(s) AS number
}
RETURN sum(number) AS total
