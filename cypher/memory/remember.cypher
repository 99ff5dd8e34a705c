// Stores mandates and capabilities, each with its first version; one row with the number stored.
// mode: write
// scope: caller
// params: rows, writable
// returns: one
CYPHER 25
UNWIND $rows AS row
WITH row WHERE row.properties.scope_id IN $writable
CREATE (m:Memory)
SET m = row.properties, m:$(row.label)
CREATE (v:Version)
SET v = row.version
CREATE (v)-[:OF]->(m)
RETURN count(m) AS written
