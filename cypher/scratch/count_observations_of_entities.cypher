// The number of readable observations that mention each of some entities; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $uids AS uid
CALL (uid) {
  UNWIND $readable AS scope_id
  MATCH (:Observation)-[mention:MENTIONS]->(:Entity)
  USING INDEX SEEK mention:MENTIONS(scope_id, entity_uid, from_uid)
  WHERE mention.scope_id = scope_id AND mention.entity_uid = uid AND mention.from_uid > 'obs_' AND mention.from_uid < 'obs_~'
  RETURN count(mention) AS number
}
RETURN collect({uid: uid, number: number}) AS items
