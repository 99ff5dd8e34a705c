// Stores the outcome of a turn; one row with the number stored.
// mode: write, returns: one, scope: caller
CYPHER 25
MATCH (turn:Turn {uid: $turn_uid})
WHERE turn.scope_id IN $writable
CREATE (o:Outcome)
SET o = $properties
CREATE (turn)-[:RESULTED_IN]->(o)
RETURN count(o) AS stored
