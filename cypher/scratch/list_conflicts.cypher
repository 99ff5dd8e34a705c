// The contradictions of some observations that have not ended, newest first; one row.
// mode: read
// scope: caller
// params: uids, most, now, readable
// returns: one
CYPHER 25
UNWIND $uids AS uid
MATCH (o:Observation&Memory {uid: uid})
WHERE o.scope_id IN $readable
CALL (o) {
  MATCH (o)-[link:CONTRADICTS]-(other:Observation)
  WHERE link.until IS NULL AND other.scope_id IN $readable
  WITH o, link, other
  ORDER BY link.since DESC, other.uid DESC
  LIMIT $most
  RETURN collect({source_id: startNode(link).uid, target_id: endNode(link).uid, how: link.how, kind: link.kind,
                  since: link.since,
                  // If both are active, it is not decided yet which one is true.
                  open: all(side IN [o, other] WHERE side.status = 'active' AND side.expires_at > $now)}) AS conflicts
}
WITH uid, conflicts WHERE size(conflicts) > 0
RETURN collect({uid: uid, conflicts: conflicts}) AS items
