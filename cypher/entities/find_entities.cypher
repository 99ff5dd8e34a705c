// The entities among some ids that a readable memory mentions, as first spelled in a readable space; one row.
// mode: read
// scope: caller
// params: uids, readable
// returns: one
CYPHER 25
UNWIND $uids AS uid
CALL (uid) {
  MATCH (e:Entity {uid: uid})-[named:NAMED_IN]->(:Space)
  WHERE named.scope_id IN $readable
  CALL (named) {
    // The memories that mentioned it may be deleted. Its name is then no longer visible in that space.
    MATCH ()-[mention:MENTIONS]->(:Entity)
    USING INDEX SEEK mention:MENTIONS(scope_id, entity_uid, from_uid)
    WHERE mention.scope_id = named.scope_id AND mention.entity_uid = named.entity_uid AND mention.from_uid IS NOT NULL
    RETURN true AS held
    LIMIT 1
  }
  RETURN named
  ORDER BY named.since, named.scope_id
  LIMIT 1
}
RETURN collect({uid: uid, key: named.key, name: named.name, kind: named.kind}) AS items
