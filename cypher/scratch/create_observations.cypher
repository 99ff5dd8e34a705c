// Stores observations with their tags; one row with how many were written.
// mode: write
// scope: caller
// params: rows, tags, writable
// returns: one
CYPHER 25
CALL () {
  // Tags first, in sorted order, so that two writers lock the same ones one after the other.
  UNWIND $tags AS row
  MERGE (tag:Tag {scope_id: row.scope_id, key: row.key})
    ON CREATE SET tag.uid = row.uid, tag.org_id = row.org_id, tag.name = row.name, tag.created_at = row.created_at,
                  tag.by_uid = row.by_uid
}
UNWIND $rows AS row
WITH row WHERE row.properties.scope_id IN $writable
CREATE (o:Observation:Memory)
SET o = row.properties
WITH o, row
CALL (o, row) {
  UNWIND row.properties.tag_keys AS key
  MATCH (tag:Tag {scope_id: row.properties.scope_id, key: key})
  CREATE (o)-[:TAGGED {tag_uid: tag.uid, memory_uid: o.uid}]->(tag)
}
RETURN count(o) AS written
