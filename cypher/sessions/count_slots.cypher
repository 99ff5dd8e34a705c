// How many items a session of the caller holds and held; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
CALL () {
  // part: own_session(s)
}
WITH s
WHERE
  // part: is_own(s)
MATCH (s)-[h:HOLDS]->()
RETURN count(h) AS total
