// The number of readable durable memories that mention each of some entities; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $uids AS uid
CALL (uid) {
  UNWIND $readable AS scope_id
  UNWIND [{above: '', below: 'obs_'}, {above: 'obs_~', below: '~'}] AS part
  MATCH (m:Remembered)-[mention:MENTIONS]->(:Entity)
  USING INDEX SEEK mention:MENTIONS(scope_id, entity_uid, from_uid)
  WHERE mention.scope_id = scope_id AND mention.entity_uid = uid AND mention.from_uid > part.above AND mention.from_uid < part.below
    AND NOT coalesce(m.retained_until <= $read_at, false)
  RETURN count(mention) AS number
}
RETURN collect({uid: uid, number: number}) AS items
