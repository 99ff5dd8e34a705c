// Ends the contradictions detected for the old texts of observations and finds those with the frames of the new texts and those near in meaning; one row.
// mode: write, returns: one, scope: caller
CYPHER 25
// part: near_observations(near)
UNWIND $rows AS row
MATCH (o:Observation&Memory {uid: row.uid})
WHERE o.scope_id IN $writable
CALL (o) {
  MATCH (o)-[link:CONTRADICTS]-(:Observation)
  WHERE link.until IS NULL AND link.how IN ['detected', 'inferred']
  SET link.until = $now
}
CALL (o, row) {
  MATCH (other:Observation)
  USING INDEX SEEK other:Observation(scope_id, frame_key, uid)
  WHERE other.scope_id = o.scope_id AND other.frame_key = row.frame_key AND other.uid IS NOT NULL
  WITH other
  // All three properties, although two are constant here: only then does the planner use the order of the index.
  ORDER BY other.scope_id DESC, other.frame_key DESC, other.uid DESC
  LIMIT 5 * $most
  WITH other
  // Those whose text changes as well are compared with each other by the caller.
  WHERE NOT other.uid IN $uids AND other.status = 'active' AND other.expires_at > $now AND size(other.content) <= $longest
  LIMIT $most
  RETURN collect(other {.uid, .content}) AS found
}
RETURN collect({uid: o.uid, found: found}) AS items, near
