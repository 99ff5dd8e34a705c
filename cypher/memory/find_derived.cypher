// What goes with a memory that is forgotten: live and archived memories of its space with the same text, the observations with it, and the memories that rest on any of them; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
MATCH (m:Remembered&Memory {uid: $uid})
WHERE m.scope_id IN $writable
CALL (m) {
  MATCH (same:Remembered)
  USING INDEX SEEK same:Remembered(scope_id, text_key, uid)
  WHERE same.scope_id = m.scope_id AND same.text_key = $text_key AND same.uid IS NOT NULL AND same.uid <> m.uid
  WITH same LIMIT $most
  RETURN collect(same) AS twins
}
CALL (m) {
  MATCH (o:Observation)
  USING INDEX SEEK o:Observation(scope_id, text_key, uid)
  WHERE o.scope_id = m.scope_id AND o.text_key = $text_key AND o.uid IS NOT NULL
  WITH o
  // Those that are still on the page come first.
  ORDER BY o.archived_at IS NOT NULL, o.uid
  LIMIT $most
  RETURN collect(o) AS noted
}
CALL (m, twins, noted) {
  UNWIND [m] + twins + noted AS origin
  MATCH (origin) (()<-[:RESTS_ON]-()){0,20} (derived:Remembered)
  WHERE (derived.live OR derived.status = 'archived') AND derived.scope_id IN $writable AND derived.uid <> $uid
  WITH DISTINCT derived
  LIMIT $most
  RETURN collect(derived.uid) AS uids
}
RETURN uids, [o IN noted WHERE o.archived_at IS NULL | o.uid] AS observation_uids
