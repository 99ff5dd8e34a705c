// The first spelling of an entity in a space is a node with a key, so that a new name does not lock the space.
CREATE CONSTRAINT name_uid IF NOT EXISTS FOR (n:Name) REQUIRE n.uid IS UNIQUE;
CREATE CONSTRAINT name_key IF NOT EXISTS FOR (n:Name) REQUIRE (n.scope_id, n.key) IS UNIQUE;
// Names of before are relationships to the space. Each is moved with its deletion, so a second run moves the rest only.
MATCH (e:Entity)-[named:NAMED_IN]->(:Space)
CALL (e, named) {
  // Who wrote it was not stored: it is whoever stored the oldest memory there that mentions the entity.
  WITH e, named, head(COLLECT {
    MATCH (memory:Memory)-[mention:MENTIONS]->()
    USING INDEX SEEK mention:MENTIONS(scope_id, entity_uid, from_uid)
    WHERE mention.scope_id = named.scope_id AND mention.entity_uid = e.uid AND mention.from_uid IS NOT NULL
    RETURN memory.by_uid
    ORDER BY mention.scope_id, mention.entity_uid, mention.from_uid
    LIMIT 1
  }) AS by_uid
  MERGE (n:Name {scope_id: named.scope_id, key: named.key})
    ON CREATE SET n.uid = 'name_0' + left(replace(toUpper(randomUUID()), '-', ''), 25), n.org_id = e.org_id,
                  n.entity_uid = e.uid, n.name = named.name, n.kind = named.kind, n.created_at = named.since,
                  n.by_uid = coalesce(by_uid, e.by_uid)
  MERGE (n)-[:SPELLS]->(e)
  DELETE named
} IN TRANSACTIONS OF 500 ROWS;
DROP INDEX named_in_key IF EXISTS;
// Evaluation locks the subjects of its decisions by their keys, and not the space.
CREATE CONSTRAINT key_lock IF NOT EXISTS FOR (n:KeyLock) REQUIRE (n.scope_id, n.key) IS UNIQUE;
MATCH (s:Space) WHERE s.locked_at IS NOT NULL
CALL (s) { REMOVE s.locked_at } IN TRANSACTIONS OF 500 ROWS;
