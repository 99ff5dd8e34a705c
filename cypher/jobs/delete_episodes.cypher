// Deletes a batch of memories whose time is over, with their passages and the texts of their versions; one row with those deleted.
// mode: write, returns: one, scope: system - retention serves every organisation
CYPHER 25
CALL () {
  MATCH (m:Remembered)
  USING INDEX SEEK m:Remembered(retained_until)
  WHERE m.retained_until <= $now
  RETURN m
  ORDER BY m.retained_until
  LIMIT $batch
}
WITH collect(m) AS outdated,
     collect({uid: m.uid, org_id: m.org_id, scope_id: m.scope_id, version: m.version + 1}) AS items
WITH outdated, items, COLLECT { UNWIND outdated AS m MATCH (m)-[:ON]->(t:Topic) RETURN t } AS topics
CALL (outdated) {
  // The versions stay for the audit log, without the texts.
  UNWIND [m IN outdated | m.uid] AS uid
  MATCH (v:Version)
  USING INDEX SEEK v:Version(of_uid, number)
  WHERE v.of_uid = uid AND v.number > 0
  SET v.changes = '{}', v.name = ''
  REMOVE v.before
}
CALL (outdated) {
  UNWIND outdated AS m
  MATCH (m)<-[:PART_OF]-(part:Passage)
  DETACH DELETE part
}
FOREACH (m IN outdated | DETACH DELETE m)
WITH items, topics
CALL (topics) {
  UNWIND topics AS t
  // part: unused_topic(t)
}
RETURN items
