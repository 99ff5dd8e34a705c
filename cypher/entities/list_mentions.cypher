// The newest readable memories that mention each of some entities; one row.
// mode: read
// scope: caller
// params: uids, readable, limit
// returns: one
CYPHER 25
UNWIND $uids AS uid
CALL (uid) {
  UNWIND $readable AS scope_id
  CALL (uid, scope_id) {
    MATCH ()-[mention:MENTIONS]->(:Entity)
    USING INDEX SEEK mention:MENTIONS(scope_id, entity_uid, from_uid)
    WHERE mention.scope_id = scope_id AND mention.entity_uid = uid AND mention.from_uid IS NOT NULL
    RETURN mention.from_uid AS from_uid
    // All three properties, although two are constant here: only then does the planner use the order of the index.
    ORDER BY mention.scope_id DESC, mention.entity_uid DESC, mention.from_uid DESC
    LIMIT $limit
  }
  WITH from_uid
  ORDER BY from_uid DESC
  LIMIT $limit
  RETURN collect(from_uid) AS from_uids
}
RETURN collect({uid: uid, from_uids: from_uids}) AS items
