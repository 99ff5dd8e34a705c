// The newest active observations that contradict each of some observations, as far as that has not ended; one row.
// mode: read
// scope: caller
// params: uids, readable, now, most
// returns: one
CYPHER 25
UNWIND $uids AS uid
CALL (uid) {
  MATCH (o:Observation&Memory {uid: uid})-[link:CONTRADICTS]-(other:Observation)
  WHERE o.scope_id IN $readable AND link.until IS NULL
    AND other.scope_id IN $readable AND other.status = 'active' AND other.expires_at > $now
  WITH DISTINCT other
  ORDER BY other.uid DESC
  LIMIT $most
  RETURN collect(other {.uid, .scope_id, .by_uid, .kind, .content, .confidence, .created_at}) AS found
}
WITH uid, found WHERE size(found) > 0
RETURN collect({uid: uid, found: found}) AS items
