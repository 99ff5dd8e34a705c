// The newest active observations that contradict each of some observations, as far as that has not ended; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $uids AS uid
CALL (uid) {
  MATCH (o:Observation&Memory {uid: uid})-[link:CONTRADICTS]-(other:Observation)
  WHERE o.scope_id IN $readable AND link.until IS NULL AND other.scope_id IN $readable AND other.org_id = $org_id
  // Here, so that the plan does not start at all that is active.
  WITH DISTINCT other
  WHERE other.status = 'active' AND other.expires_at > $now
  WITH other
  ORDER BY other.uid DESC
  LIMIT $most
  RETURN collect(other {.uid, .scope_id, .by_uid, .kind, .content, .confidence, at: toString(other.created_at)}) AS found
}
WITH uid, found WHERE size(found) > 0
RETURN collect({uid: uid, found: found}) AS items
