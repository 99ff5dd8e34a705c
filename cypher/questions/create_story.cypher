// Stores a story with its first version under its question; no row if the question is not writable.
// mode: write
// scope: caller
// params: properties, version, writable
// returns: optional
CYPHER 25
MATCH (q:Question {uid: $properties.question_id})
WHERE q.scope_id IN $writable AND q.scope_id = $properties.scope_id
CREATE (s:Story)
SET s = $properties
CREATE (s)-[:ANSWERS]->(q)
CREATE (v:Version)
SET v = $version
CREATE (v)-[:OF]->(s)
RETURN s.uid AS uid
