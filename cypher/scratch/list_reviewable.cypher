// The ids of a page of observations to review, oldest first; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $writable AS scope_id
UNWIND $statuses AS status
CALL (scope_id, status) {
  MATCH (o:Observation)
  USING INDEX SEEK o:Observation(scope_id, status, uid)
  WHERE o.scope_id = scope_id AND o.status = status AND o.uid > $after
  RETURN o.uid AS uid
  ORDER BY o.scope_id, o.status, o.uid
  LIMIT $limit
}
WITH uid
ORDER BY uid
LIMIT $limit
RETURN collect(uid) AS uids
