// Gives a goal another parent or other predecessors; the old links end and stay as history. One row with what changed.
// mode: write, returns: one, scope: caller
CYPHER 25
MATCH (g:Goal {uid: $goal_id})
WHERE g.scope_id IN $writable
CALL (g) {
  // A goal has one parent, so the old link ends even if the caller may not read the old parent.
  MATCH (g)-[old:CHILD_OF]->(parent:Goal)
  WHERE $new_parent AND old.until IS NULL AND ($parent_id IS NULL OR parent.uid <> $parent_id)
  SET old.until = $now, old.by = $actor_id
  RETURN count(old) AS parents_ended
}
CALL (g) {
  MATCH (parent:Goal {uid: $parent_id})
  WHERE $new_parent AND (parent.scope_id IN $readable
    // part: shared_for_writing(parent) if $grantees
  )
    AND NOT EXISTS { MATCH (g)-[same:CHILD_OF]->(parent) WHERE same.until IS NULL }
  CREATE (g)-[:CHILD_OF {since: $now, by: $actor_id}]->(parent)
  RETURN count(parent) AS parents_begun
}
CALL (g) {
  MATCH (g)-[old:DERIVED_FROM]->(source:Goal)
  WHERE $new_sources AND old.until IS NULL AND NOT source.uid IN $sources AND (source.scope_id IN $readable
    // part: shared(source) if $grantees
  )
  SET old.until = $now, old.by = $actor_id
  RETURN count(old) AS sources_ended
}
CALL (g) {
  UNWIND $sources AS uid
  MATCH (source:Goal {uid: uid})
  WHERE $new_sources AND (source.scope_id IN $readable
    // part: shared(source) if $grantees
  )
    AND NOT EXISTS { MATCH (g)-[same:DERIVED_FROM]->(source) WHERE same.until IS NULL }
  CREATE (g)-[:DERIVED_FROM {since: $now, by: $actor_id}]->(source)
  RETURN count(source) AS sources_begun
}
RETURN parents_ended + parents_begun AS parents, sources_ended + sources_begun AS sources
