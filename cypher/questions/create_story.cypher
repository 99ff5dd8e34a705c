// Stores a story with its first version under its question; no row if the question is not writable.
// mode: write, returns: optional, scope: caller
CYPHER 25
MATCH (q:Question {uid: $properties.question_id})
WHERE q.scope_id IN $writable AND q.scope_id = $properties.scope_id
CREATE (s:Story)
// Its vector is made by a job; its words find it at once.
SET s = $properties, s:Unembedded
CREATE (s)-[:ANSWERS]->(q)
CREATE (v:Version)
SET v = $version
CREATE (v)-[:OF]->(s)
RETURN s.uid AS uid
