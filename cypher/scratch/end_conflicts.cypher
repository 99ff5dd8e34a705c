// Ends the contradictions detected for an observation's old text and finds observations with the frame of its new text; one row.
// mode: write
// scope: caller
// params: uid, frame_key, most, longest, now, writable
// returns: one
CYPHER 25
OPTIONAL MATCH (o:Observation&Memory {uid: $uid})
WHERE o.scope_id IN $writable
CALL (o) {
  MATCH (o)-[link:CONTRADICTS]-(:Observation)
  WHERE link.until IS NULL AND link.how = 'detected'
  SET link.until = $now
}
CALL (o) {
  MATCH (other:Observation)
  USING INDEX SEEK other:Observation(scope_id, frame_key, uid)
  WHERE other.scope_id = o.scope_id AND other.frame_key = $frame_key AND other.uid IS NOT NULL
  WITH o, other
  // All three properties, although two are constant here: only then does the planner use the order of the index.
  ORDER BY other.scope_id DESC, other.frame_key DESC, other.uid DESC
  LIMIT 5 * $most
  WITH o, other
  WHERE other <> o AND other.status = 'active' AND other.expires_at > $now AND size(other.content) <= $longest
  LIMIT $most
  RETURN collect(other {.uid, .content}) AS found
}
RETURN found
