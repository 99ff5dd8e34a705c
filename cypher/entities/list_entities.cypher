// A page of the entities that something readable mentions, in the order of their names, one row.
// mode: read
// scope: caller
// params: readable, after_key, prefix, kinds, limit
// returns: one
CYPHER 25
UNWIND $readable AS scope_id
CALL (scope_id) {
  MATCH (:Entity)-[named:NAMED_IN]->(:Space)
  USING INDEX SEEK named:NAMED_IN(scope_id, key)
  WHERE named.scope_id = scope_id AND named.key > $after_key AND named.key STARTS WITH $prefix
    AND ($kinds IS NULL OR named.kind IN $kinds)
  CALL (named) {
    // What mentioned it may be gone; then its name is not known in that space any more.
    MATCH ()-[mention:MENTIONS]->(:Entity)
    USING INDEX SEEK mention:MENTIONS(scope_id, entity_uid, from_uid)
    WHERE mention.scope_id = named.scope_id AND mention.entity_uid = named.entity_uid AND mention.from_uid IS NOT NULL
    RETURN true AS held
    LIMIT 1
  }
  RETURN named
  // Both, although one is constant here: only then the planner sees that this is the index's order.
  ORDER BY named.scope_id, named.key
  LIMIT $limit
}
// As first spelled, when several spaces know it.
WITH named ORDER BY named.since, named.scope_id
WITH named.key AS key, collect(named)[0] AS named
ORDER BY key
LIMIT $limit
RETURN collect({uid: named.entity_uid, key: key, name: named.name, kind: named.kind}) AS items
