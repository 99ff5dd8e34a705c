// A page of the entities that a readable memory mentions, in the order of their names; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $readable AS scope_id
CALL (scope_id) {
  MATCH (named:Name)
  USING INDEX SEEK named:Name(scope_id, key)
  // Bounds and not `STARTS WITH`: a page then begins at its cursor and not at the first name with the prefix.
  WHERE named.scope_id = scope_id AND named.key > $after_key AND named.key >= $prefix AND named.key < $prefix_end
    AND ($kinds IS NULL OR named.kind IN $kinds)
  CALL (named) {
    // The memories that mentioned it may be deleted. Its name is then no longer visible in that space.
    MATCH ()-[mention:MENTIONS]->(:Entity)
    USING INDEX SEEK mention:MENTIONS(scope_id, entity_uid, from_uid)
    WHERE mention.scope_id = named.scope_id AND mention.entity_uid = named.entity_uid AND mention.from_uid IS NOT NULL
    RETURN true AS held
    LIMIT 1
  }
  RETURN named
  // Both properties, although one is constant here: only then does the planner use the order of the index.
  ORDER BY named.scope_id, named.key
  LIMIT $limit
}
// If several spaces have a spelling, the oldest one is used.
WITH named ORDER BY named.created_at, named.scope_id
WITH named.key AS key, collect(named)[0] AS named
ORDER BY key
LIMIT $limit
RETURN collect({uid: named.entity_uid, key: key, name: named.name, kind: named.kind}) AS items
