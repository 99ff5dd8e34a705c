// Moves expired observations among some ids out of the active set; one row with the observations moved.
// mode: write, returns: one, scope: system - the job serves every organisation; for a caller's sweep `writable` is not null
CYPHER 25
// `uids` is sorted, so that a job and a concurrent sweep wait for each other instead of deadlocking.
UNWIND $uids AS uid
MATCH (o:Observation&Memory {uid: uid})
WHERE $writable IS NULL OR o.scope_id IN $writable
// This write locks the observation before the check: it may have been pinned, archived or expired meanwhile.
SET o.updated_at = $now
WITH o WHERE o.status = 'active' AND o.expires_at <= $now
WITH o, $delete AND NOT EXISTS { (o)-[:EVIDENCES]->() } AS gone
SET o.status = 'expired', o.archived_at = $now, o.version = o.version + 1, o.live = false
REMOVE o.searchable_in, o:Unembedded
WITH o, gone
ORDER BY o.uid
WITH collect({o: o, gone: gone}) AS found
UNWIND range(0, size(found) - 1) AS i
WITH found[i].o AS o, found[i].gone AS gone, $versions[i] AS version_uid
CALL (o, gone, version_uid) {
  WITH o, gone, version_uid WHERE NOT gone
  CREATE (v:Version {uid: version_uid, org_id: o.org_id, scope_id: o.scope_id, name: o.name, created_at: $now,
                     by_uid: coalesce($by_uid, o.org_id), of_uid: o.uid, number: o.version, changes: $changes,
                     fields: ['archived_at', 'status'], before: $before, turn_uid: $turn_uid})
  CREATE (v)-[:OF]->(o)
}
CALL (o, gone) {
  WITH o, gone WHERE gone
  // The versions stay for the audit log, without the texts.
  MATCH (v:Version)
  USING INDEX SEEK v:Version(of_uid, number)
  WHERE v.of_uid = o.uid AND v.number > 0
  SET v.changes = '{}'
  REMOVE v.before
}
WITH o, gone, {uid: o.uid, org_id: o.org_id, scope_id: o.scope_id, version: o.version, gone: gone} AS item
WITH o, gone, item, COLLECT { MATCH (o)-[:ON]->(t:Topic) WHERE gone RETURN t } AS about
FOREACH (_ IN CASE WHEN gone THEN [1] ELSE [] END | DETACH DELETE o)
WITH collect(item) AS items, collect(about) AS about
CALL (about) {
  UNWIND about AS topics
  UNWIND topics AS t
  // part: unused_topic(t)
}
RETURN items
