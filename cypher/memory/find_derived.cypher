// The ids of what goes with a memory that is forgotten: live memories of its space with the same text, and those that rest on any of them; one row.
// mode: read
// scope: caller
// params: uid, text_key, most, writable
// returns: one
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
UNWIND [m] + twins AS origin
MATCH (origin) (()<-[:RESTS_ON]-()){0,20} (derived:Remembered)
WHERE derived.live AND derived.scope_id IN $writable AND derived.uid <> $uid
WITH DISTINCT derived
LIMIT $most
RETURN collect(derived.uid) AS uids
