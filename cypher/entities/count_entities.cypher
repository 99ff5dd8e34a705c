// The number of entities that a readable memory mentions; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $readable AS scope_id
CALL (scope_id) {
  MATCH (named:Name)
  USING INDEX SEEK named:Name(scope_id, key)
  WHERE named.scope_id = scope_id AND named.key STARTS WITH $prefix
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
}
RETURN count(DISTINCT named.key) AS total
