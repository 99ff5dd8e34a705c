// The entities among some ids that a readable memory mentions, as first spelled in a readable space; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $uids AS uid
CALL (uid) {
  MATCH (e:Entity {uid: uid})
  UNWIND $readable AS scope_id
  // By its key in each readable space: the spaces that the caller may not read can be many more.
  // The key alone may be that of an entity of another organisation.
  MATCH (named:Name {scope_id: scope_id, key: e.key})
  WHERE named.entity_uid = uid
  CALL (named) {
    // The memories that mentioned it may be deleted. Its name is then no longer visible in that space.
    MATCH ()-[mention:MENTIONS]->(:Entity)
    USING INDEX SEEK mention:MENTIONS(scope_id, entity_uid, from_uid)
    WHERE mention.scope_id = named.scope_id AND mention.entity_uid = named.entity_uid AND mention.from_uid IS NOT NULL
    RETURN true AS held
    LIMIT 1
  }
  RETURN named
  ORDER BY named.created_at, named.scope_id
  LIMIT 1
}
RETURN collect({uid: uid, key: named.key, name: named.name, kind: named.kind}) AS items
