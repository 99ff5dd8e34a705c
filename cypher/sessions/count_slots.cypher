// How many items a session of the caller holds and held; one row.
// mode: read
// scope: caller
// params: uid, scope_id, device_id, readable
// returns: one
CYPHER 25
MATCH (s:Session {uid: $uid})
WHERE s.scope_id = $scope_id AND s.scope_id IN $readable AND coalesce(s.device_id, '') = $device_id
MATCH (s)-[h:HOLDS]->()
RETURN count(h) AS total
