// The number of the caller's sessions; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $statuses AS status
CALL (status) {
  MATCH (s:Session)
  USING INDEX SEEK s:Session(scope_id, status, uid)
  WHERE
    // part: is_own(s)
    AND s.status = status AND s.uid IS NOT NULL
    AND ($key IS NULL OR s.key = $key)
    AND ($entity IS NULL OR EXISTS { (s)-[about:ON]->(:Topic {key: $entity}) WHERE about.entity })
  RETURN count(s) AS number
}
RETURN sum(number) AS total
