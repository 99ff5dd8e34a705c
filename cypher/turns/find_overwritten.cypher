// Which records a turn has changed in the same fields as somebody else did since the turn began; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $uids AS uid
MATCH (n:Memory|Goal|PendingAction {uid: uid})
WHERE n.scope_id IN $writable
MATCH (mine:Version)
USING INDEX SEEK mine:Version(of_uid, number)
WHERE mine.of_uid = n.uid AND mine.number = n.version
CALL (n, mine) {
  MATCH (other:Version)
  USING INDEX SEEK other:Version(of_uid, number)
  WHERE other.of_uid = n.uid AND other.number > 1 AND other.number < n.version
    AND other.created_at >= $since AND coalesce(other.turn_uid, '') <> $turn_uid
    AND any(field IN other.fields WHERE field IN mine.fields AND NOT field IN $remarks)
  RETURN max(other.number) AS overwritten
}
WITH n, overwritten
WHERE overwritten IS NOT NULL
RETURN collect({uid: n.uid, version: n.version, overwritten: overwritten}) AS items
