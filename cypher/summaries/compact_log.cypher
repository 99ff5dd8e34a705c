// Deletes the log entries of a finished action that has a summary of them; their number, or no row if the log was compacted before.
// mode: write, returns: optional, scope: organisation
CYPHER 25
MATCH (a:PendingAction {uid: $uid})<-[:SUMMARISES]-(:Summary {of_uid: $uid, kind: 'log', label: 'log'})
WHERE a.org_id = $org_id AND a.open = false AND a.compacted_at IS NULL
SET a.compacted_at = $now
WITH a
CALL () {
  UNWIND $entries AS entry
  MATCH (e:TraceEvent {uid: entry})
  WHERE e.org_id = $org_id AND e.ids[0] = $uid
  DETACH DELETE e
  RETURN count(*) AS deleted
}
RETURN deleted
