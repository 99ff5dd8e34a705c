// Stores new versions of a registry's definitions, each in the place of the one before it, with their events.
// mode: write, returns: none, scope: system - the files of a registry belong to no organisation
CYPHER 25
CALL () {
  UNWIND $rows AS row
  MATCH (before:TypeDefinition {registry: $registry, type_id: row.type_id, number: row.number - 1})
  SET before.until = $now
}
CALL () {
  UNWIND $rows AS row
  CREATE (d:TypeDefinition)
  SET d = row.properties
}
CALL () {
  UNWIND $events AS row
  CREATE (e:OutboxEvent:Unsequenced)
  SET e = row
}
FINISH
