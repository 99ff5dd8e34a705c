// Deletes observations of a batch whose time in the archive is over and that nothing refers to; one row with those deleted and the end of the batch.
// mode: write, returns: one, scope: system - retention serves every organisation
CYPHER 25
CALL () {
  MATCH (o:Observation)
  USING INDEX SEEK o:Observation(archived_at, uid)
  WHERE o.archived_at >= $after_at AND o.archived_at <= $before AND o.uid IS NOT NULL
    AND (o.archived_at > $after_at OR o.uid > $after_uid)
  RETURN o
  ORDER BY o.archived_at, o.uid
  LIMIT $batch
}
// This write locks the observation before the check: it may have become evidence meanwhile.
SET o.linked_at = $now
WITH o
ORDER BY o.archived_at, o.uid
WITH o, o.archived_at <= $before AND o.status IN ['expired', 'archived'] AND NOT coalesce(o.pinned, false)
    // What is or was evidence belongs to the history of what it is evidence of, and a summary rests on it.
    AND NOT EXISTS { (o)-[:EVIDENCES]->() } AND NOT EXISTS { (o)<-[:RESTS_ON]-() }
    // A contradiction belongs to the history of the other side too.
    AND NOT EXISTS {
      MATCH (o)-[:CONTRADICTS]-(other:Observation)
      WHERE other.archived_at IS NULL OR other.archived_at > $before OR EXISTS { (other)-[:EVIDENCES]->() }
    } AS gone
WITH collect({o: o, gone: gone, archived_at: o.archived_at, uid: o.uid, org_id: o.org_id, scope_id: o.scope_id,
              version: o.version + 1, status: o.status}) AS found
WITH found, [item IN found WHERE item.gone | item.o] AS outdated
WITH found, outdated, COLLECT { UNWIND outdated AS o MATCH (o)-[:ON]->(t:Topic) RETURN t } AS topics
CALL (outdated) {
  // The versions stay for the audit log, without the texts.
  UNWIND [o IN outdated | o.uid] AS uid
  MATCH (v:Version)
  USING INDEX SEEK v:Version(of_uid, number)
  WHERE v.of_uid = uid AND v.number > 0
  SET v.changes = '{}'
  REMOVE v.before
}
FOREACH (o IN outdated | DETACH DELETE o)
WITH found, topics
CALL (topics) {
  UNWIND topics AS t
  // part: unused_topic(t)
}
RETURN [item IN found WHERE item.gone | {uid: item.uid, org_id: item.org_id, scope_id: item.scope_id,
                                         version: item.version, status: item.status}] AS items,
       size(found) AS looked, toString(last(found).archived_at) AS last_at, last(found).uid AS last_uid
