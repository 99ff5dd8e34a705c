// Changes observations, each with its next version, and their tags where they changed; one row with how many.
// mode: write
// scope: caller
// params: rows, tags, writable
// returns: one
CYPHER 25
CALL () {
  UNWIND $tags AS row
  MERGE (tag:Tag {scope_id: row.scope_id, key: row.key})
    ON CREATE SET tag.uid = row.uid, tag.org_id = row.org_id, tag.name = row.name, tag.created_at = row.created_at,
                  tag.by_uid = row.by_uid
}
UNWIND $rows AS row
MATCH (o:Observation&Memory {uid: row.properties.uid})
WHERE o.scope_id IN $writable
SET o += row.properties
CREATE (v:Version)
SET v = row.version
CREATE (v)-[:OF]->(o)
WITH o, row
CALL (o, row) {
  WITH o, row
  WHERE row.retag
  OPTIONAL MATCH (o)-[old:TAGGED]->(:Tag)
  DELETE old
  WITH DISTINCT o, row
  UNWIND row.properties.tag_keys AS key
  MATCH (tag:Tag {scope_id: row.properties.scope_id, key: key})
  CREATE (o)-[:TAGGED {tag_uid: tag.uid, memory_uid: o.uid}]->(tag)
}
RETURN count(o) AS written
