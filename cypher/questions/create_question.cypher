// Stores a question with its first version; no row if the space is not writable.
// mode: write, returns: optional, scope: caller
CYPHER 25
WITH $properties AS properties
WHERE properties.scope_id IN $writable
CREATE (q:Question)
// Its vector is made by a job; its words find it at once.
SET q = properties, q:Unembedded
CREATE (v:Version)
SET v = $version
CREATE (v)-[:OF]->(q)
RETURN q.uid AS uid
