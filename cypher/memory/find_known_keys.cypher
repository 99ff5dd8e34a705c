// Which of some client keys of a space durable memories have; one row.
// mode: read, returns: one, scope: caller
CYPHER 25
UNWIND $client_keys AS key
MATCH (m:Remembered {scope_id: $scope_id, client_key: key})
USING INDEX SEEK m:Remembered(scope_id, client_key)
WHERE m.scope_id IN $writable
RETURN collect(m.client_key) AS known
